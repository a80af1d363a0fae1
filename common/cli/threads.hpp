// The threads that the program's loops share.
#pragma once

namespace bert {

/// Starts them: as many as --threads or OMP_NUM_THREADS say, or a processor each. Throws IoError
/// when the system refuses, where OpenMP's library itself would end the program.
void start_threads();

}  // namespace bert

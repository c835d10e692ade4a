import type { Kernel } from './kernel.js';
import { plainKernel } from './plain.js';
import { simdKernel, simdSupported } from './simd.js';

export type KernelName = Kernel['name'];

const kernels = new Map<KernelName, Kernel>();

/** This thread's kernel: SIMD where the machine has it. Both give the same results, so a name is asked for by tests only. */
export function kernel(name: KernelName = simdSupported() ? 'simd' : 'plain'): Kernel {
  let found = kernels.get(name);
  if (!found) {
    found = name === 'simd' ? simdKernel() : plainKernel();
    kernels.set(name, found);
  }
  return found;
}

/** Chooses the kernel of this thread. */
import type { Kernel } from './kernel.js';
import { plainKernel } from './plain.js';
import { simdKernel, simdSupported } from './simd.js';

export type KernelName = Kernel['name'];

const kernels = new Map<KernelName, Kernel>();

let best: KernelName | undefined;

/** This thread's kernel: SIMD if the machine supports it. Both give the same results; only tests name one. */
export function kernel(name?: KernelName): Kernel {
  best ??= simdSupported() ? 'simd' : 'plain';
  const chosen = name ?? best;
  let found = kernels.get(chosen);
  if (!found) {
    found = chosen === 'simd' ? simdKernel() : plainKernel();
    kernels.set(chosen, found);
  }
  return found;
}

/** The part of the WebAssembly API that the kernels need; its types are otherwise declared only for browsers. */
interface WebAssemblyApi {
  Memory: new (descriptor: { initial: number }) => { readonly buffer: ArrayBuffer };
  Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  Instance: new (module: object, imports: object) => { readonly exports: Record<string, unknown> };
  validate(bytes: Uint8Array<ArrayBuffer>): boolean;
}

/** Nothing on a platform without it. */
export const webAssembly = (globalThis as { WebAssembly?: WebAssemblyApi }).WebAssembly;

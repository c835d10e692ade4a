/** The keys of every language: those of English. */
import type { en } from './en.js';

/** The same keys, with texts of any language. */
type Widened<Value> = Value extends string
  ? string
  : Value extends (...parameters: infer Parameters) => string
    ? (...parameters: Parameters) => string
    : { readonly [Key in keyof Value]: Widened<Value[Key]> };
export type Texts = Widened<typeof en>;

/** The keys that every language has: those of English. */
import type { en } from './en.js';

/** What a language file has: the same keys, with texts of its own. */
type Widened<Value> = Value extends string
  ? string
  : Value extends (...parameters: infer Parameters) => string
    ? (...parameters: Parameters) => string
    : { readonly [Key in keyof Value]: Widened<Value[Key]> };
export type Texts = Widened<typeof en>;

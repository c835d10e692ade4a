/** The values of variantType in Beacon v2: words of VCF files, and terms of the Sequence Ontology and the EFO. */
import { Fault } from '../../../core/plugin.js';
import type { KindFilter } from './allele-query.js';
import { quoted } from './quoted.js';
import { kindsOf, variantKinds } from './variant-types.js';

/** What a value asks for. */
export interface VariantTerm {
  /** Undefined if it does not narrow the query. */
  kinds?: readonly KindFilter[];
  warning?: string;
}

const [gain, loss]: [KindFilter[], KindFilter[]] = [kindsOf('DUP'), [{ kind: 'DEL', structural: true }]];
const [insertion, copyNumber, junction] = [kindsOf('INS'), kindsOf('CNV'), kindsOf('BND')];

const terms: Readonly<Record<string, readonly KindFilter[]>> = {
  'SO:0001483': kindsOf('SNP'),
  'SO:0000694': kindsOf('SNP'),
  'SO:0002007': kindsOf('MNP'),
  'SO:0000667': insertion,
  'SO:0001837': kindsOf('INS:ME'),
  'SO:0000159': kindsOf('DEL'),
  'SO:0001743': kindsOf('DEL'),
  'SO:1000035': gain,
  'SO:0001742': gain,
  'SO:1000173': kindsOf('DUP:TANDEM'),
  'SO:1000036': kindsOf('INV'),
  'SO:0001019': copyNumber,
  'SO:0000806': junction,
  'SO:0000199': junction,
  'EFO:0030063': copyNumber,
  'EFO:0030067': loss,
  'EFO:0030070': gain,
};

/** Any change of the sequence. */
const anything = 'SO:0001059';

/** Levels of gains and losses, which VCF files do not state: a gain of unknown level is no answer to a question for a level. */
const levels: Readonly<Record<string, string>> = {
  'EFO:0030068': 'low-level loss',
  'EFO:0020073': 'high-level loss',
  'EFO:0030069': 'complete genomic deletion',
  'EFO:0030071': 'low-level gain',
  'EFO:0030072': 'high-level gain',
  'EFO:0030073': 'focal genome amplification',
};

/** Throws an `invalid` fault for an unknown value: it would find nothing, which is not true. */
export function variantTerm(text: string): VariantTerm {
  const upper = text.toUpperCase();
  if (upper === anything) return {};
  const kinds = upper === 'MNV' ? kindsOf('MNP') : terms[upper];
  if (kinds) return { kinds };
  const level = levels[upper];
  if (level !== undefined) {
    const broader =
      level.includes('gain') || level.includes('amplification') ? 'EFO:0030070 (gain)' : 'EFO:0030067 (loss)';
    return { kinds: [], warning: `variantType: no record states a ${level}; ask for ${broader}` };
  }
  if (!/^(SO|EFO):/.test(upper)) {
    try {
      return { kinds: variantKinds(text) };
    } catch {
      // The words that this interface accepts are more.
    }
  }
  throw new Fault(
    'invalid',
    `variantType must be a type of VCF files, such as SNV, MNP, INS, DEL, INDEL, DUP, DUP:TANDEM, INV, CNV or BND, or a term: ${[
      anything,
      ...Object.keys(terms),
      ...Object.keys(levels),
    ].join(', ')}; got ${quoted(text)}`,
  );
}

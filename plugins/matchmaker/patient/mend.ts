/**
 * Patients as other servers send them. seqr sends an empty `contact.name`, and null for the gene of a structural variant;
 * matchbox sends empty texts, or the text `null`, for what it does not know. Such members count as absent, entries of lists
 * that then say nothing are left out, and each of these is said. Everything else is as it was sent, checked or not.
 */
import type { FieldFault } from '../../../core/plugin.js';

export interface Mended {
  /** To be checked by a schema. */
  patient: unknown;
  /** What is left out, by its path in what was sent. */
  warnings: FieldFault[];
  /** A fault or warning about the mended patient, with the path that it has in what was sent. */
  asSent(fault: FieldFault): FieldFault;
}

type Loose = { readonly [key: string]: unknown };

/** Members of a patient, of a feature and of a variant that are texts of a certain form, and optional. */
const optional = {
  patient: ['species', 'sex', 'ageOfOnset', 'inheritanceMode'],
  feature: ['observed', 'ageOfOnset'],
  variant: ['referenceBases', 'alternateBases'],
} as const;

export function mended(patient: unknown, path: string): Mended {
  const mender = new Mender(path);
  return {
    patient: isObject(patient) ? mender.patient(patient) : patient,
    warnings: mender.warnings,
    asSent: (fault) => mender.asSent(fault),
  };
}

class Mender {
  readonly warnings: FieldFault[] = [];
  readonly #path: string;
  /** Of each list, where its entries were before some were left out. */
  readonly #places = new Map<string, readonly number[]>();

  constructor(path: string) {
    this.#path = path;
  }

  patient(sent: Loose): Loose {
    const patient: Record<string, unknown> = { ...this.#cleared(sent, this.#path, optional.patient) };
    const { contact } = sent;
    if (isObject(contact) && isEmpty(contact.name)) {
      this.#warn(`${this.#path}.contact.name`, 'is empty: only the address says whose patient this is');
      patient.contact = { ...contact, name: '' };
    }
    this.#mendList(patient, 'disorders', (disorder, at) => this.#identified(disorder, at));
    this.#mendList(patient, 'features', (feature, at) => {
      const known = this.#identified(feature, at);
      return known && this.#cleared(known, at, optional.feature);
    });
    this.#mendList(patient, 'genomicFeatures', (feature, at) => this.#genomicFeature(feature, at));
    return patient;
  }

  asSent({ path, message }: FieldFault): FieldFault {
    for (const [list, places] of this.#places) {
      if (!path.startsWith(`${list}.`)) continue;
      const [index = '', ...rest] = path.slice(list.length + 1).split('.');
      return { path: [list, places[Number(index)] ?? index, ...rest].join('.'), message };
    }
    return { path, message };
  }

  /** Undefined entries are left out; what is no list or no object is for the schema to refuse. */
  #mendList(patient: Record<string, unknown>, name: string, mend: (entry: Loose, at: string) => Loose | undefined) {
    const entries = patient[name];
    if (!Array.isArray(entries)) return;
    const list = `${this.#path}.${name}`;
    const places: number[] = [];
    const kept: unknown[] = [];
    for (const [i, entry] of entries.entries()) {
      const left: unknown = isObject(entry) ? mend(entry, `${list}.${i}`) : entry;
      if (left === undefined) continue;
      kept.push(left);
      places.push(i);
    }
    this.#places.set(list, places);
    patient[name] = kept;
  }

  #genomicFeature(feature: Loose, at: string): Loose | undefined {
    const { gene, variant, type } = feature;
    const left: Record<string, unknown> = { ...feature };
    if (isObject(type) && isEmpty(type.id)) {
      this.#warn(`${at}.type`, 'has no id: it counts as absent');
      delete left.type;
    }
    if (isObject(variant)) left.variant = this.#cleared(variant, `${at}.variant`, optional.variant);
    if (isObject(gene) && isEmpty(gene.id)) {
      if (!isObject(variant) || typeof variant.start !== 'number') {
        this.#warn(at, 'names neither a gene nor a variant with a start: it is left out');
        return undefined;
      }
      this.#warn(`${at}.gene.id`, 'is empty: only the variant is compared');
      left.gene = { ...gene, id: '' };
    }
    return left;
  }

  /** Undefined if an entry has no id: then it says nothing. */
  #identified(entry: Loose, at: string): Loose | undefined {
    if (!isEmpty(entry.id)) return entry;
    this.#warn(at, 'has no id: it is left out');
    return undefined;
  }

  /** Without those of the members that are empty texts. */
  #cleared(value: Loose, at: string, members: readonly string[]): Loose {
    const empty = members.filter((member) => typeof value[member] === 'string' && isEmpty(value[member]));
    for (const member of empty) this.#warn(`${at}.${member}`, 'is empty: it counts as absent');
    return empty.length === 0
      ? value
      : Object.fromEntries(Object.entries(value).filter(([key]) => !empty.includes(key)));
  }

  #warn(path: string, message: string): void {
    this.warnings.push({ path, message });
  }
}

/** Null, or a text that says nothing. */
function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === 'string' && /^\s*(null)?\s*$/.test(value));
}

function isObject(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

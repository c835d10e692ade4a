/**
 * Patients as other servers send them. seqr sends an empty `contact.name`, and null for the gene of a structural variant;
 * matchbox sends empty texts, or the text `null`, for what is unknown. Such members count as absent, list entries without
 * any other content are left out, and a warning names each. Everything else stays as it was sent, unchecked.
 */
import type { FieldFault } from '../../../core/plugin.js';
import type { Patient } from './patient.js';
import { faultsOf, queriedSchema, querySchema, readPatient, refusal, submittedIn } from './schema.js';
import { isRecord } from './shape.js';

export interface Mended {
  /** To be checked by a schema. */
  patient: unknown;
  /** What is ignored, by its path in what was sent. */
  warnings: FieldFault[];
  /** The same fault or warning about the mended patient, with its path in what was sent. */
  asSent(fault: FieldFault): FieldFault;
}

type Loose = { readonly [key: string]: unknown };

/** Optional members that are texts of a certain form. */
const optional = {
  patient: ['species', 'sex', 'ageOfOnset', 'inheritanceMode'],
  feature: ['observed', 'ageOfOnset'],
  variant: ['referenceBases', 'alternateBases'],
} as const;

export function mended(patient: unknown, path: string): Mended {
  const mender = new Mender(path);
  return {
    patient: isRecord(patient) ? mender.patient(patient) : patient,
    warnings: mender.warnings,
    asSent: (fault) => mender.asSent(fault),
  };
}

class Mender {
  readonly warnings: FieldFault[] = [];
  readonly #path: string;
  /** By list: where its entries were before some were left out. */
  readonly #positions = new Map<string, readonly number[]>();

  constructor(path: string) {
    this.#path = path;
  }

  patient(sent: Loose): Loose {
    const patient: Record<string, unknown> = { ...this.#cleared(sent, this.#path, optional.patient) };
    const { contact } = sent;
    if (isRecord(contact) && isEmpty(contact.name)) {
      this.#warn(`${this.#path}.contact.name`, 'is empty: the submitter is known by the address only');
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
    for (const [list, positions] of this.#positions) {
      if (!path.startsWith(`${list}.`)) continue;
      const [index = '', ...rest] = path.slice(list.length + 1).split('.');
      return { path: [list, positions[Number(index)] ?? index, ...rest].join('.'), message };
    }
    return { path, message };
  }

  /** Leaves out entries for which `mend` returns undefined. What is not a list or an object is left to the schema. */
  #mendList(patient: Record<string, unknown>, name: string, mend: (entry: Loose, at: string) => Loose | undefined) {
    const entries = patient[name];
    if (!Array.isArray(entries)) return;
    const list = `${this.#path}.${name}`;
    const positions: number[] = [];
    const kept: unknown[] = [];
    for (const [i, entry] of entries.entries()) {
      const left: unknown = isRecord(entry) ? mend(entry, `${list}.${i}`) : entry;
      if (left === undefined) continue;
      kept.push(left);
      positions.push(i);
    }
    this.#positions.set(list, positions);
    patient[name] = kept;
  }

  #genomicFeature(feature: Loose, at: string): Loose | undefined {
    const { gene, variant, type } = feature;
    const left: Record<string, unknown> = { ...feature };
    if (isRecord(type) && isEmpty(type.id)) {
      this.#warn(`${at}.type`, 'has no id and is ignored');
      delete left.type;
    }
    if (isRecord(variant)) left.variant = this.#cleared(variant, `${at}.variant`, optional.variant);
    if (isRecord(gene) && isEmpty(gene.id)) {
      if (!isRecord(variant) || typeof variant.start !== 'number') {
        this.#warn(at, 'has neither a gene nor a variant with a start and is ignored');
        return undefined;
      }
      this.#warn(`${at}.gene.id`, 'is empty: only the variant is compared');
      left.gene = { ...gene, id: '' };
    }
    return left;
  }

  /** The entry, or undefined if it has no id. */
  #identified(entry: Loose, at: string): Loose | undefined {
    if (!isEmpty(entry.id)) return entry;
    this.#warn(at, 'has no id and is ignored');
    return undefined;
  }

  /** The value without those of the members that are empty texts. */
  #cleared(value: Loose, at: string, members: readonly string[]): Loose {
    const empty = members.filter((member) => typeof value[member] === 'string' && isEmpty(value[member]));
    for (const member of empty) this.#warn(`${at}.${member}`, 'is empty and is ignored');
    return empty.length === 0
      ? value
      : Object.fromEntries(Object.entries(value).filter(([key]) => !empty.includes(key)));
  }

  #warn(path: string, message: string): void {
    this.warnings.push({ path, message });
  }
}

/** Whether a value is null, blank, or the text `null`. */
function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === 'string' && /^\s*(null)?\s*$/.test(value));
}

/** The patient of a request's body `{"patient": {…}}`. Throws an `unprocessable` fault that names every wrong field. */
export function readQuery(body: unknown): Mended & { patient: Patient } {
  const sent = submittedIn(body);
  const { patient, warnings, asSent } = mended(sent, 'patient');
  const read = readPatient(patient, 'patient', querySchema);
  if ('faults' in read) throw refusal(read.faults.map(asSent));
  const faults = faultsOf(sent, 'patient', queriedSchema);
  if (faults.length > 0) throw refusal(faults);
  return { patient: read.patient, warnings, asSent };
}

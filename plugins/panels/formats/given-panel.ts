/** A panel as a source writes it, before its genes were found. */
import type { Confidence, OtherEntry, PanelGene, PanelRequirement, PanelSource } from '../domain/content.js';
import type { Given } from '../genes/gene-table.js';

export interface GivenEntry extends Given, Partial<Omit<PanelGene, 'hgnc' | 'symbol' | 'confidence'>> {
  confidence: Confidence;
  /** Where it stands: `line 7`, `gene 12`. */
  at: string;
}

/** A line of a BED file that names a gene. */
export interface NamedLine {
  given: Given;
  /** `line 7` */
  at: string;
  /** As the file writes it. */
  chromosome: string;
  /** Zero-based half-open. */
  start: number;
  end: number;
}

export interface GivenPanel {
  /** The panel's id here, unless another is asked for. */
  id?: string;
  version?: string;
  name?: string;
  description?: string;
  disorders?: string[];
  requirement?: PanelRequirement;
  entries: GivenEntry[];
  others?: OtherEntry[];
  /** The lines of the entries, if they have places. */
  lines?: readonly NamedLine[];
  /** For people: what the reader decided. */
  notes?: string[];
  /** What the source says of itself; the file is told by the caller. */
  source: Pick<PanelSource, 'kind' | 'id' | 'version' | 'signedOff'>;
}

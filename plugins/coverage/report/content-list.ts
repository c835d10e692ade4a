/** What a report is about, by name: its genes with their transcripts, or the intervals of its BED file. */
import type { Gene } from '../contract.js';
import type { Texts } from '../texts/texts.js';
import { isNonCoding } from './coding.js';
import type { ReportData } from './report-data.js';
import { type Extent, fileRows, type Section } from './view.js';

/** Names that a page lists; a PDF file has as many as rows of a table. */
const pageNames = 1000;
/** Characters of a name that are shown, as of other names in forms. */
const longestName = 200;
/** Transcripts that are listed of one gene. */
const geneTranscripts = 4;

export function contentSections(data: ReportData, texts: Texts, extent: Extent): Section[] {
  const most = extent === 'page' ? pageNames : fileRows;
  const { content } = texts.limits;
  if (data.request.type === 'custom_intervals') {
    const { names, isCut } = lineNames(data, most);
    const lines = data.targets.length;
    const summary = isCut ? content.manyNames(lines) : content.countLines(names.length, lines);
    return [section(content.lines, content.linesCaption, summary, names, isCut ? content.more : undefined)];
  }
  const genes = geneNames(data, texts);
  if (genes.length === 0) return [];
  const note = genes.length > most ? content.more : undefined;
  const names = genes.slice(0, most);
  const caption = data.request.type === 'coding' ? content.codingCaption : content.genesCaption;
  return [section(content.genes, caption, content.countGenes(genes.length), names, note)];
}

function section(
  title: string,
  caption: string,
  summary: string,
  names: readonly string[],
  note: string | undefined,
): Section {
  return { kind: 'names', id: 'listed', title, caption, summary, names, ...(note === undefined ? {} : { note }) };
}

/** Distinct names, in the order of the lines. */
function lineNames({ targets }: ReportData, most: number): { names: string[]; isCut: boolean } {
  const names = new Set<string>();
  for (const { group } of targets) {
    const name =
      group.length <= longestName
        ? group
        : `${[...group.slice(0, 2 * longestName)].slice(0, longestName - 1).join('')}…`;
    if (names.size === most && !names.has(name)) return { names: [...names], isCut: true };
    names.add(name);
  }
  return { names: [...names], isCut: false };
}

interface Listed {
  gene: Gene;
  /** Ensembl id, with the RefSeq match if there is one. */
  transcripts: Set<string>;
  isNonCoding: boolean;
}

/** `MTHFR (HGNC:7436; ENST00000376590, NM_005957.5)`, by symbol. */
function geneNames({ selected, request }: ReportData, texts: Texts): string[] {
  const genes = new Map<string, Listed>();
  for (const { gene, transcript, coding } of selected) {
    // A gene on X and Y has two positions and one name.
    const one = genes.get(gene.ensembl) ?? { gene, transcripts: new Set(), isNonCoding: isNonCoding({ coding }) };
    genes.set(gene.ensembl, one);
    if (transcript === undefined || request.type === 'genes') continue;
    const { maneSelect, manePlusClinical } = transcript.references;
    one.transcripts.add([transcript.ensembl, maneSelect[0] ?? manePlusClinical[0]].filter(Boolean).join(' = '));
  }
  const byName = new Intl.Collator('en', { numeric: true }).compare;
  return [...genes.values()]
    .map(({ gene, transcripts, isNonCoding: isOfExons }) => {
      const shown = [...transcripts].slice(0, geneTranscripts);
      const further = transcripts.size - shown.length;
      if (further > 0) shown.push(texts.limits.content.furtherTranscripts(further));
      const id = gene.hgnc === undefined ? gene.ensembl : `HGNC:${gene.hgnc}`;
      const ids = [id, shown.join(', '), isOfExons ? texts.counted.nonCoding : ''].filter(Boolean);
      return `${gene.symbol ?? gene.ensembl} (${ids.join('; ')})`;
    })
    .sort(byName);
}

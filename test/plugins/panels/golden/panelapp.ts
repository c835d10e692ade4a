/**
 * Facts of three panels as PanelApp (Genomics England) answered in 2026, in the members that are read. Taken from lines of
 * Scout's demo (github.com/Clinical-Genomics/scout, scout/demo/resources/panelapp_panels_reduced.jsonl, BSD-3-Clause).
 */

/** PanelApp's wording of how a disorder is inherited, by a short name. */
const inheritance: Readonly<Record<string, string>> = {
  bi: 'BIALLELIC, autosomal or pseudoautosomal',
  both: 'BOTH monoallelic and biallelic, autosomal or pseudoautosomal',
  severe:
    'BOTH monoallelic and biallelic (but BIALLELIC mutations cause a more SEVERE disease form), autosomal or pseudoautosomal',
  mono: 'MONOALLELIC, autosomal or pseudoautosomal, imprinted status unknown',
  monoNot: 'MONOALLELIC, autosomal or pseudoautosomal, NOT imprinted',
  x: 'X-LINKED: hemizygous mutation in males, biallelic mutations in females',
  xDominant:
    'X-LINKED: hemizygous mutation in males, monoallelic mutations in females may cause disease (may be less severe, later onset than males)',
  mt: 'MITOCHONDRIAL',
  unknown: 'Unknown',
};

interface Row {
  hgnc: number;
  symbol: string;
  level: string;
  inheritance: string;
  tags: string[];
  transcripts: string[] | null;
}

/** `symbol id [inheritance] [#tag] [transcript]`, with `bi` if none is given. */
function rows(level: string, text: string): Row[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [symbol = '', id = '', ...more] = line.trim().split(' ');
      const transcripts = more.filter((word) => /^(?:ENST|NM_)/.test(word));
      return {
        ...{ hgnc: Number(id), symbol, level },
        inheritance: inheritance[more.find((word) => word in inheritance) ?? 'bi'] as string,
        tags: more.flatMap((word) => (word.startsWith('#') ? word.slice(1) : [])),
        transcripts: transcripts.length > 0 ? transcripts : null,
      };
    });
}

const porphyria = rows('3', 'HMBS 4982 severe');

const rhabdomyolysis = [
  ...rows(
    '3',
    `ACAD9 21497
    ACADM 89
    ACADVL 92
    AGL 321
    ALDOA 414
    ANO5 27337
    CACNA1S 1397 mono
    CAV3 1529 both
    CHKB 1938
    COQ4 19693
    COQ8A 16812
    CPT2 2330 both
    DGUOK 2858
    DMD 2928 x
    DYSF 3097
    ENO3 3354
    ETFA 3481
    ETFB 3482
    ETFDH 3483
    FDX2 30546
    FKRP 17997
    FLAD1 24671
    GAA 4065
    GBE1 4180
    GMPPB 22932
    GYG1 4699
    GYS1 4706
    HADHA 4801
    HADHB 4803
    ISCU 29882 both
    LAMP2 6501 xDominant
    LDHA 6535
    LPIN1 13345
    MLIP 21355
    MT-CO1 7419 mt #gene-checked
    MT-CO2 7421 mt #gene-checked
    OBSCN 15719
    PFKM 8877
    PGAM2 8889
    PGK1 8896 x
    PGM1 8905
    PHKA1 8925 x
    POLG 9179 both
    POLG2 9180 both
    PYGM 9726
    RYR1 10483 both
    SCN4A 10591 both
    SGCA 10805
    SIL1 24624
    SLC22A5 10969
    TANGO2 25439
    TK2 11831`,
  ),
  ...rows(
    '2',
    `CASQ1 1512 mono #Q3_25_promote_green
    MYH1 7567
    POC5 26658 #gene-checked #Q3_25_promote_green
    PRKAG2 9386 monoNot
    RBCK1 15864
    RRM2B 17296 both
    SUCLA2 11448`,
  ),
  ...rows(
    '1',
    `AMPD1 468
    CYP2C8 2622 unknown
    PHKB 8927
    PHKG1 8930 unknown
    SLC22A12 17989
    SLC2A9 13446 both
    TSEN54 27561
    TSFM 12367
    TYMP 3148
    XPNPEP3 28052`,
  ),
];

const findings = [
  ...rows(
    '3',
    `APC 583 mono ENST00000257430.9 NM_000038.5
    APOB 603 monoNot ENST00000233242.5 NM_000384.2
    BRCA1 1100 mono #adult-onset ENST00000357654.8 NM_007294.3
    BRCA2 1101 mono #adult-onset ENST00000544455.5 NM_000059.3
    LDLR 6547 monoNot ENST00000558518.5 NM_000527.4
    MEN1 7010 mono NM_130799.2 ENST00000312049.10
    MLH1 7127 mono #adult-onset ENST00000231790.6 NM_000249.3
    MSH2 7325 mono #adult-onset ENST00000233146.6 NM_000251.2
    MSH6 7329 mono #adult-onset ENST00000234420.9 NM_000179.2
    MUTYH 7527 bi #adult-onset ENST00000450313.5 NM_001128425.1
    PCSK9 20001 mono ENST00000302118.5 NM_174936.3
    RET 9967 mono ENST00000355710.8 NM_020975.4
    VHL 12687 mono ENST00000256474.2 NM_000551.3`,
  ),
  ...rows('0', 'CFTR 1884 monoNot #adult-onset #curated_removed ENST00000003084.10 NM_000492.3'),
];

/** A panel as the API answers it; `number_of_genes` is PanelApp's own count. */
function panel(id: number, name: string, version: string, genes: Row[], more: object) {
  return {
    ...{ id, hash_id: null, name, version, status: 'public', disease_sub_group: '', strs: [], regions: [] },
    ...more,
    genes: genes.map(({ hgnc, symbol, level, inheritance: mode, tags, transcripts }) => ({
      gene_data: { hgnc_id: `HGNC:${hgnc}`, hgnc_symbol: symbol, gene_symbol: symbol, biotype: 'protein_coding' },
      ...{ entity_type: 'gene', entity_name: symbol, confidence_level: level, penetrance: null },
      ...{ mode_of_pathogenicity: '', mode_of_inheritance: mode, phenotypes: [], tags, transcript: transcripts },
    })),
  };
}

export const panelAppPanels = [
  panel(1207, 'Acute intermittent porphyria', '1.6', porphyria, {
    ...{ disease_group: 'Gastrohepatology', relevant_disorders: ['R169'], stats: { number_of_genes: 1 } },
  }),
  panel(1141, 'Acute rhabdomyolysis', '2.8', rhabdomyolysis, {
    ...{ disease_group: 'Neurology', relevant_disorders: ['R419'], stats: { number_of_genes: 69 } },
  }),
  panel(399, 'Additional findings health related', '0.116', findings, {
    ...{ disease_group: '', relevant_disorders: [], stats: { number_of_genes: 14 } },
  }),
];

/** The approved genes of these panels, as HGNC's file has them. */
export const approvedOfPanels = [
  'hgnc_id\tsymbol\tlocus_group\tstatus\talias_symbol\tprev_symbol\tdate_modified',
  ...[...porphyria, ...rhabdomyolysis, ...findings].map(
    ({ hgnc, symbol }) => `HGNC:${hgnc}\t${symbol}\tprotein-coding gene\tApproved\t\t\t2026-01-01`,
  ),
].join('\n');

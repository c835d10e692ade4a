/**
 * Door for facts about the human genome that several plugins need: names and lengths of the chromosomes of both assemblies,
 * regions, ids of Ensembl, and the order of names.
 */

export const assemblies = ['GRCh37', 'GRCh38'] as const;
export type Assembly = (typeof assemblies)[number];

export const contigs = [
  '1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12', '13', '14', '15', '16', '17', '18', '19', '20', '21',
  '22', 'X', 'Y', 'MT',
] as const; // biome-ignore format: one line a dozen reads better
export type Contig = (typeof contigs)[number];

const canonical = new Map<string, Contig>(contigs.map((contig) => [contig, contig]));
canonical.set('M', 'MT');

/** The chromosome that a name means: `7`, `chr7`, `CHRx`, `M` and `chrM`; undefined for any other. */
export function contigNamed(name: string): Contig | undefined {
  const upper = name.toUpperCase();
  return canonical.get(upper.startsWith('CHR') ? upper.slice(3) : upper);
}

/** Other names of the assemblies, in lower case: of UCSC, the 1000 Genomes project and the GATK bundles. */
const aliases: Readonly<Record<Assembly, readonly string[]>> = {
  GRCh37: ['hg19', 'b37', 'hs37', 'hs37d5'],
  GRCh38: ['hg38', 'b38', 'hs38'],
};

/**
 * The assembly that a name means, in any case, with or without its patch: `GRCh37`, `grch38.p14`, `hg19`, `b37`. Only
 * chromosome names and positions of the nuclear genome are the same in all of them: MT is always NC_012920.
 */
export function assemblyNamed(name: string): Assembly | undefined {
  const lower = name.toLowerCase().replace(/\.p\d{1,3}$/, '');
  return assemblies.find((assembly) => assembly.toLowerCase() === lower || aliases[assembly].includes(lower));
}

/** Versions of the RefSeq accessions NC_000001 to NC_000024 in GRCh37; each is one more in GRCh38. */
const versions37 = [10, 11, 11, 11, 9, 11, 13, 10, 11, 10, 9, 11, 10, 8, 9, 9, 10, 9, 9, 10, 8, 10, 10, 9];

export interface Accession {
  contig: Contig;
  /** Absent for the mitochondrial genome, which both assemblies share, and for versions of neither assembly. */
  assembly?: Assembly;
}

/**
 * Reads the accession of a human chromosome, of RefSeq (`NC_000001.10`), of GenBank (`CM000663.1`: the assemblies GCA_000001405.1
 * and .15) or of refget (`SQ.S_KjnFVz…`, whose letters have their case); undefined for any other name.
 */
export function accessionNamed(name: string): Accession | undefined {
  const [, digest] = /^(?:ga4gh:)?SQ\.([\w-]{32})$/.exec(name) ?? [];
  if (digest !== undefined) return sequenceNamed(digest);
  if (/^J01415\.2$/i.test(name)) return { contig: 'MT' };
  const genbank = /^CM000(\d{3})\.(\d+)$/i.exec(name);
  if (genbank) {
    const contig = contigs[Number(genbank[1]) - 663];
    const assembly = assemblies[Number(genbank[2]) - 1];
    return contig === undefined || contig === 'MT' ? undefined : { contig, ...(assembly && { assembly }) };
  }
  const found = /^NC_(\d{6})\.(\d+)$/i.exec(name);
  if (!found) return undefined;
  const number = Number(found[1]);
  if (number === 12920) return { contig: 'MT' };
  const contig = contigs[number - 1];
  const version37 = versions37[number - 1];
  if (!contig || !version37) return undefined;
  const newer = Number(found[2]) - version37;
  if (newer !== 0 && newer !== 1) return { contig };
  return { contig, assembly: newer === 0 ? 'GRCh37' : 'GRCh38' };
}

/**
 * Names of the sequences by their content (GA4GH refget: `SQ.` and the truncated SHA-512 of the bases), in the order of `contigs`. MT is
 * one sequence in both assemblies.
 */
const digests: Record<Assembly, readonly string[]> = {
  GRCh37: [
    'S_KjnFVz-FE7M0W6yoaUDgYxLPc1jyWU', '9KdcA9ZpY1Cpvxvg8bMSLYDUpsX6GDLO', 'VNBualIltAyi2AI_uXcKU7M9XUOuA7MS',
    'iy7Zfceb5_VGtTQzJ-v5JpPbpeifHD_V', 'vbjOdMfHJvTjK_nqvFvpaSKhZillW0SX', 'KqaUhJMW3CDjhoVtBetdEKT1n6hM-7Ek',
    'IW78mgV5Cqf6M24hy52hPjyyo5tCCd86', 'tTm7wmhz0G4lpt8wPspcNkAD_qiminj6', 'HBckYGQ4wYG9APHLpjoQ9UUe9v7NxExt',
    '-BOZ8Esn8J88qDwNiSEwUr5425UXdiGX', 'XXi2_O1ly-CCOi3HP5TypAw7LtC6niFG', '105bBysLoDFQHhajooTAUyUkNiZ8LJEH',
    'Ewb9qlgTqN6e_XQiRVYpoUfZJHXeiUfH', '5Ji6FGEKfejK1U6BMScqrdKJK8GqmIGf', 'zIMZb3Ft7RdWa5XYq0PxIlezLY2ccCgt',
    'W6wLoIFOn4G7cjopxPxYNk2lcEqhLQFb', 'AjWXsI7AkTK35XW9pgd3UbjpC3MAevlz', 'BTj4BDaaHYoPhD3oY2GdwC_l0uqZ92UD',
    'ItRDD47aMoioDCNW_occY5fWKZBKlxCX', 'iy_UbUrvECxFRX5LPTH_KPojdlT7BKsf', 'LpTaNW-hwuY_yARP0rtarCnpCQLkgVCg',
    'XOgHwwR3Upfp5sZYk6ZKzvV25a4RBVu8', 'v7noePfnNpK8ghYXEqZ9NukMXW7YeNsm', 'BT7QyW5iXaX_1PSX-msSGYsqRdMKqkj-',
    'k3grVkjY-hoWcCUojHw6VU6GE3MZ8Sct',
  ],
  GRCh38: [
    'Ya6Rs7DHhDeg7YaOSg1EoNi3U_nQ9SvO', 'pnAqCRBrTsUoBghSD1yp_jXWSmlbdh4g', 'Zu7h9AggXxhTaGVsy7h_EZSChSZGcmgX',
    'HxuclGHh0XCDuF8x6yQrpHUBL7ZntAHc', 'aUiQCzCPZ2d0csHbMSbh2NzInhonSXwI', '0iKlIQk2oZLoeOG9P1riRU6hvL5Ux8TV',
    'F-LrLMe1SRpfUZHkQmvkVKFEGaoDeHul', '209Z7zJ-mFypBEWLk4rNC6S_OxY5p7bs', 'KEO-4XBcm1cxeo_DIQ8_ofqGUkp4iZhI',
    'ss8r_wB0-b9r44TQTMmVTI92884QvBiB', '2NkFm8HK88MqeNkCgj78KidCAXgnsfV1', '6wlJpONE3oNb4D69ULmEXhqyDZ4vwNfl',
    '_0wi-qoDrvram155UmcSC-zA5ZK4fpLT', 'eK4D2MosgK_ivBkgi6FVPg5UXs1bYESm', 'AsXvWL1-2i5U_buw6_niVIxD6zTbAuS6',
    'yC_0RBj3fgBlvgyAuycbzdubtLxq-rE0', 'dLZ15tNO1Ur0IcGjwc3Sdi_0A6Yf4zm7', 'vWwFhJ5lQDMhh-czg06YtlWqu0lvFAZV',
    'IIB53T8CNeJJdUqzn9V_JnRtQadwWCbl', '-A1QmD_MatoqxvgVxBLZTONHz9-c7nQo', '5ZUqxCmDDgN4xTRbaSjN8LwgZironmB8',
    '7B7SHsmchAR0dFcDCuSFjJAo7tX87krQ', 'w0WZEvgJF0zf_P4yyTzjjv9oW1z61HHP', '8_liLu1aycC0tPQPFmUaGXJLDs5SbPZ5',
    'k3grVkjY-hoWcCUojHw6VU6GE3MZ8Sct',
  ],
}; // biome-ignore format: three a line read better

function sequenceNamed(digest: string): Accession | undefined {
  for (const assembly of assemblies) {
    const contig = contigs[digests[assembly].indexOf(digest)];
    if (contig !== undefined) return contig === 'MT' ? { contig } : { contig, assembly };
  }
  return undefined;
}

/** The refget name of a chromosome: `SQ.` and the digest of its bases. */
export function refgetOf(assembly: Assembly, contig: Contig): string {
  return `SQ.${digests[assembly][contigs.indexOf(contig)]}`;
}

/** The RefSeq accession of a chromosome: `NC_000017.11`. */
export function accessionOf(assembly: Assembly, contig: Contig): string {
  const number = contigs.indexOf(contig) + 1;
  if (contig === 'MT') return 'NC_012920.1';
  const version = (versions37[number - 1] ?? 0) + (assembly === 'GRCh38' ? 1 : 0);
  return `NC_${String(number).padStart(6, '0')}.${version}`;
}

/** Lengths in bases, in the order of `contigs` (assembly reports of the Genome Reference Consortium; MT is NC_012920.1). */
const lengths: Record<Assembly, readonly number[]> = {
  GRCh37: [
    249250621, 243199373, 198022430, 191154276, 180915260, 171115067, 159138663, 146364022, 141213431, 135534747,
    135006516, 133851895, 115169878, 107349540, 102531392, 90354753, 81195210, 78077248, 59128983, 63025520, 48129895,
    51304566, 155270560, 59373566, 16569,
  ],
  GRCh38: [
    248956422, 242193529, 198295559, 190214555, 181538259, 170805979, 159345973, 145138636, 138394717, 133797422,
    135086622, 133275309, 114364328, 107043718, 101991189, 90338345, 83257441, 80373285, 58617616, 64444167, 46709983,
    50818468, 156040895, 57227415, 16569,
  ],
};

export function lengthOf(assembly: Assembly, contig: Contig): number {
  return lengths[assembly][contigs.indexOf(contig)] ?? 0;
}

/** The first letters of the stable ids of Ensembl: of genes, transcripts and exons. */
export type EnsemblPrefix = 'ENSG' | 'ENST' | 'ENSE';

/**
 * The stable id, without version, of an id of Ensembl or GENCODE: `ENSG00000177000` of `gene:ENSG00000177000.14` and, mapped to
 * GRCh37, `ENSG00000177000.14_12`; `ENSG00000182378` of `ENSG00000182378.15_PAR_Y` and `ENSGR0000182378.8`, its copy on Y in newer
 * and older releases. Undefined for any other text.
 */
export function ensemblId(text: string, prefix: EnsemblPrefix): string | undefined {
  const found = /^(?:[a-z]+:)?(ENS[GTE])(?:R(\d{10})|(\d{11}))(?:\.\d+)?(?:_\d+|_PAR_Y){0,2}$/i.exec(text);
  if (found?.[1]?.toUpperCase() !== prefix) return undefined;
  return `${prefix}${found[2] === undefined ? found[3] : `0${found[2]}`}`;
}

export interface GenomeRegion {
  chromosome: 'X' | 'Y';
  /** Zero-based half-open, in bases. */
  start: number;
  end: number;
}

/**
 * The pseudo-autosomal regions, of which both sexes have two copies, by assembly. From the Genome Reference Consortium's
 * assembly reports.
 */
export const pseudoautosomal: Readonly<Record<'GRCh37' | 'GRCh38', readonly GenomeRegion[]>> = {
  GRCh37: [
    { chromosome: 'X', start: 60_000, end: 2_699_520 },
    { chromosome: 'X', start: 154_931_043, end: 155_260_560 },
    { chromosome: 'Y', start: 10_000, end: 2_649_520 },
    { chromosome: 'Y', start: 59_034_049, end: 59_363_566 },
  ],
  GRCh38: [
    { chromosome: 'X', start: 10_000, end: 2_781_479 },
    { chromosome: 'X', start: 155_701_382, end: 156_030_895 },
    { chromosome: 'Y', start: 10_000, end: 2_781_479 },
    { chromosome: 'Y', start: 56_887_902, end: 57_217_415 },
  ],
};

/** Bases of an allele that people read. */
const mostBases = 20;

/** The bases of an allele; of a long one the first, and their number. */
export function basesText(bases: string): string {
  return bases.length <= mostBases ? bases : `${bases.slice(0, mostBases)}… (${bases.length})`;
}

// Made when it is first used: it costs a start some milliseconds.
let inOrder: Intl.Collator | undefined;

/** As people sort names of genes and chromosomes: ABCA2 comes before ABCA10. */
export function byName(one: string, other: string): number {
  inOrder ??= new Intl.Collator('en', { numeric: true });
  return inOrder.compare(one, other);
}

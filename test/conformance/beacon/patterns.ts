/** Queries by bases and by kind. */
import { type BeaconRepository, kindsOf } from '../../../plugins/beacon/contract.js';
import { type Case, cases, Random } from '../core.js';
import { breakend, finding, small, stock, structural } from './build.js';

const bases = 'N matches one base, a lone N anything';
const symbolic = 'only a lone N finds symbolic alleles and breakends';
const spelled =
  'a structural allele of plain bases is found as stored, and by its bases without those that reference and alternate share';
const whole = 'a query finds the alleles with exactly these bases';
const kinds = 'kinds: any of these; a kind also covers its subtypes';

const contig = '1';

export const patternCases: readonly Case<BeaconRepository>[] = [
  ...cases<BeaconRepository>({
    [bases]: {
      async 'a lone N matches anything'({ repository }) {
        const alleles = {
          snv: small('1', 100, 'G', 'T'),
          insertion: small('1', 100, 'G', 'GTTT'),
          deletion: small('1', 100, 'GCA', 'G'),
          event: structural('1', 100, 900, 'DEL'),
          junction: breakend('1', 100, 'G]2:321682]', '2', 321_681),
        };
        const all = ['snv', 'insertion', 'deletion', 'event', 'junction'] as const;
        const finds = await stock(repository, alleles);
        await finds({ contig, alternate: 'N' }, all);
        await finds({ contig, reference: 'N' }, all);
        await finds({ contig, reference: 'N', alternate: 'N' }, all);
        await finds({ contig, reference: 'N', alternate: 'T' }, ['snv']);
        await finds({ contig, reference: 'G', alternate: 'N' }, ['snv', 'insertion', 'junction']);
      },
    },
    [spelled]: {
      async 'a structural allele is found by the bases of its record, with or without those that both share'(context) {
        const finds = await stock(context.repository, {
          deletion: { ...small('1', 100, 'GCCAA', 'GT'), end: 120, structural: true },
          insertion: { ...small('1', 100, 'GCA', 'GTTCA'), structural: true },
          small: small('1', 100, 'GGG', 'GA'),
          unknown: { ...small('1', 100, 'GNC', 'GTC'), structural: true },
        });
        const at = (position: number) => ({ min: position, max: position });
        const stated = { contig, reference: 'GCCAA', alternate: 'GT' } as const;
        const short = { contig, reference: 'CCAA', alternate: 'T' } as const;
        await finds({ ...stated, start: at(100), end: at(120) }, ['deletion']);
        await finds({ ...short, start: at(101), end: at(120) }, ['deletion']);
        await finds({ ...short, start: { min: 0, max: 1_000_000 } }, ['deletion']);
        await finds({ ...short, kinds: [{ kind: 'DEL', structural: true }], end: { min: 110, max: 130 } }, [
          'deletion',
        ]);
        await finds({ ...short, start: at(100) }, []);
        await finds({ ...short, start: at(101), end: at(105) }, []);
        await finds({ ...short, kinds: [{ kind: 'INS' }] }, []);
        await finds({ ...short, alternate: 'N', start: at(101) }, []);
        await finds({ contig, start: at(100), kinds: [{ kind: 'DEL', structural: true }] }, ['deletion']);
        await finds({ contig, start: at(101) }, []);
        // The end goes first: GCA>GTTCA is G>GTT.
        await finds({ contig, start: at(100), end: at(101), reference: 'G', alternate: 'GTT' }, ['insertion']);
        await finds({ contig, start: at(100), reference: 'GC', alternate: 'GTTC' }, []);
        // Small alleles are loaded in canonical form and found only in it. N is an unknown base, so nothing is trimmed.
        await finds({ contig, reference: 'GG', alternate: 'A' }, []);
        await finds({ contig, reference: 'N', alternate: 'T' }, []);
      },
    },
    [whole]: {
      async 'alleles of ten thousand bases are distinguished to the last base'({ repository, seed }) {
        // Random bases, since an engine may compress repeats and pass by accident.
        const random = new Random(seed);
        const long = Array.from({ length: 10_000 }, () => random.pick(['A', 'C', 'G', 'T'])).join('');
        const other = `${long.slice(0, -1)}${long.endsWith('A') ? 'C' : 'A'}`;
        const finds = await stock(repository, {
          long: small('1', 100, 'G', long),
          other: small('1', 100, 'G', other),
          deletion: small('1', 100, long, 'G'),
          longer: small('1', 100, 'G', `${long}A`),
        });
        const start = { min: 100, max: 100 };
        await finds({ contig, start, alternate: long }, ['long']);
        await finds({ contig, start, alternate: other }, ['other']);
        await finds({ contig, start, alternate: `${long}A` }, ['longer']);
        await finds({ contig, start, reference: long }, ['deletion']);
        await finds({ contig, start, alternate: `${long.slice(0, -1)}N` }, ['long', 'other']);
        await finds({ contig, start, alternate: `${long.slice(0, 5000)}N${long.slice(5001)}` }, ['long']);
        await finds({ contig, end: { min: 10_100, max: 10_100 } }, ['deletion']);
        await finds({ contig, overlaps: { start: 10_099, end: 10_100 } }, ['deletion']);
      },
    },
    [kinds]: {
      async 'a kind is taken literally'({ repository }) {
        const finds = await stock(repository, {
          dup: structural('1', 100, 900, 'DUP'),
          tandem: structural('1', 100, 900, 'DUP:TANDEM'),
          odd: structural('1', 100, 900, 'D_P:%'),
        });
        for (const kind of ['dup', 'D%', '%', 'D_', 'DUP:', 'DUP*', "DUP' or '1'='1", '', 'D?P']) {
          await finds({ contig, kinds: [{ kind }] }, []);
        }
        await finds({ contig, kinds: [{ kind: 'D_P' }] }, ['odd']);
      },
    },
    'kinds: with structural, only structural or only sequence-resolved alleles': {
      async 'small and structural alleles of one kind are distinguished if requested'({ repository }) {
        const finds = await stock(repository, {
          small: small('1', 100, 'ACG', 'A'),
          stated: { ...small('1', 200, 'ACGTACG', 'A'), structural: true },
          symbolic: structural('1', 300, 900, 'DEL'),
          subtype: structural('1', 400, 900, 'DEL:ME'),
          insertion: small('1', 500, 'A', 'ACG'),
          largeInsertion: structural('1', 600, 601, 'INS'),
          snp: small('1', 700, 'A', 'T'),
        });
        await finds({ contig, kinds: [{ kind: 'DEL' }] }, ['small', 'stated', 'symbolic', 'subtype']);
        await finds({ contig, kinds: [{ kind: 'DEL', structural: false }] }, ['small']);
        await finds({ contig, kinds: [{ kind: 'DEL', structural: true }] }, ['stated', 'symbolic', 'subtype']);
        await finds({ contig, kinds: kindsOf('indel') }, ['small', 'insertion']);
        await finds({ contig, kinds: kindsOf('INS') }, ['insertion', 'largeInsertion']);
        await finds({ contig, kinds: kindsOf('snv') }, ['snp']);
        const mixed = [
          { kind: 'DEL', structural: true },
          { kind: 'INS', structural: false },
        ];
        await finds({ contig, kinds: mixed }, ['stated', 'symbolic', 'subtype', 'insertion']);
      },
    },
    'an allele must match every field of a query': {
      async 'an allele must match position, bases and kind'({ repository }) {
        const finds = await stock(repository, {
          wanted: small('1', 100, 'A', 'T'),
          otherBase: small('1', 100, 'A', 'C'),
          otherStart: small('1', 101, 'A', 'T'),
          otherContig: small('2', 100, 'A', 'T'),
          otherKind: { ...small('1', 100, 'A', 'T'), end: 102, kind: 'MNP' },
        });
        const start = { min: 100, max: 100 };
        const query = { contig, start, reference: 'A', alternate: 'T' } as const;
        await finds({ ...query, kinds: [{ kind: 'SNP' }] }, ['wanted']);
        await finds({ ...query, end: { min: 101, max: 101 } }, ['wanted']);
        await finds(query, ['wanted', 'otherKind']);
        await finds({ ...query, kinds: [{ kind: 'DEL' }] }, []);
      },
    },
  }),
  finding('a query matches whole sequences, not parts of them', whole, [
    {
      t: small('1', 100, 'A', 'T'),
      tt: small('1', 100, 'A', 'TT'),
      ta: small('1', 100, 'A', 'TA'),
      c: small('1', 100, 'A', 'C'),
      deletion: small('1', 100, 'AT', 'T'),
    },
    [{ contig, alternate: 'T' }, ['t', 'deletion']],
    [{ contig, alternate: 'T', reference: 'A' }, ['t']],
    [{ contig, alternate: 'T', reference: 'AT' }, ['deletion']],
    [{ contig, alternate: 'TA' }, ['ta']],
    [{ contig, alternate: 'G' }, []],
    [{ contig, reference: 'T' }, []],
    [{ contig, reference: 'A' }, ['t', 'tt', 'ta', 'c']],
  ]),
  finding('N in a pattern matches exactly one base', bases, [
    {
      snv: small('1', 100, 'G', 'T'),
      gt: small('1', 100, 'G', 'GT'),
      gttt: small('1', 100, 'G', 'GTTT'),
      gcat: small('1', 100, 'G', 'GCAT'),
      cttt: small('1', 100, 'G', 'CTTT'),
      gtttt: small('1', 100, 'G', 'GTTTT'),
      gnnn: small('1', 100, 'G', 'GNNN'),
    },
    [{ contig, alternate: 'GNNN' }, ['gttt', 'gcat', 'gnnn']],
    [{ contig, alternate: 'GTTT' }, ['gttt']],
    [{ contig, alternate: 'GNNT' }, ['gttt', 'gcat']],
    [{ contig, alternate: 'NNNN' }, ['gttt', 'gcat', 'cttt', 'gnnn']],
    [{ contig, alternate: 'NT' }, ['gt']],
    [{ contig, alternate: 'NN' }, ['gt']],
    [{ contig, alternate: 'GNNNN' }, ['gtttt']],
    [{ contig, alternate: 'GNNNNN' }, []],
  ]),
  finding('N in a pattern for the reference matches exactly one base', bases, [
    {
      snv: small('1', 100, 'G', 'T'),
      ga: small('1', 100, 'GA', 'G'),
      gc: small('1', 100, 'GC', 'G'),
      gca: small('1', 100, 'GCA', 'G'),
      event: structural('1', 100, 900, 'DEL'),
    },
    [{ contig, reference: 'GN' }, ['ga', 'gc']],
    [{ contig, reference: 'NA' }, ['ga']],
    [{ contig, reference: 'NNN' }, ['gca']],
    [{ contig, reference: 'G' }, ['snv']],
  ]),
  finding('a pattern of several N never finds a symbolic allele or a breakend', symbolic, [
    {
      five: small('1', 100, 'G', 'GTTTT'),
      deletion: structural('1', 100, 900, 'DEL'),
      duplication: structural('1', 100, 900, 'DUP'),
      junction: breakend('1', 100, 'G[2:9[', '2', 8),
      single: { ...structural('1', 100, 101, 'BND', 'G.') },
      resolved: { ...small('1', 100, 'G', 'GACGT'), structural: true },
    },
    [{ contig, alternate: 'NNNNN' }, ['five', 'resolved']],
    [{ contig, alternate: 'GN' }, []],
    [{ contig, alternate: 'NNNNNN' }, []],
    [{ contig, alternate: 'GNNNNN' }, []],
  ]),
  finding('a kind covers itself and its subtypes, and nothing else', kinds, [
    {
      dup: structural('1', 100, 900, 'DUP'),
      tandem: structural('1', 100, 900, 'DUP:TANDEM'),
      tandemly: structural('1', 100, 900, 'DUP:TANDEMLY'),
      dupx: structural('1', 100, 900, 'DUPX'),
      du: structural('1', 100, 900, 'DU'),
      alu: structural('1', 100, 101, 'INS:ME:ALU'),
      snp: small('1', 100, 'A', 'T'),
      mnp: small('1', 100, 'AC', 'TG'),
    },
    [{ contig, kinds: [{ kind: 'DUP' }] }, ['dup', 'tandem', 'tandemly']],
    [{ contig, kinds: [{ kind: 'DUP:TANDEM' }] }, ['tandem']],
    [{ contig, kinds: [{ kind: 'INS' }] }, ['alu']],
    [{ contig, kinds: [{ kind: 'INS:ME' }] }, ['alu']],
    [{ contig, kinds: [{ kind: 'SNP' }] }, ['snp']],
    [{ contig, kinds: [{ kind: 'MNP' }] }, ['mnp']],
    [{ contig, kinds: [{ kind: 'SNP' }, { kind: 'DU' }] }, ['snp', 'du']],
  ]),
  finding('an empty list of kinds finds nothing', 'kinds: an empty list finds nothing', [
    { snp: small('1', 100, 'A', 'T'), del: structural('1', 100, 900, 'DEL') },
    [{ contig, kinds: [] }, []],
    [{ contig }, ['snp', 'del']],
  ]),
];

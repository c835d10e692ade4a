/** Structural types as callers write them: every face finds a type and its subtypes, and never a type that it is part of. */
import { expect } from 'chai';
import { readField } from '../../../plugins/beacon/faces/search/field.js';
import { variantTypes } from '../../../plugins/beacon/faces/v11/request.js';
import { sampled } from '../../support/sample.js';
import { useOnce } from '../../support/use.js';
import { engines } from './support/engines.js';
import { send, tokenWith } from './support/observed.js';
import { addRecords, ask, type Json, serveBeacon } from './support/serve.js';

/** By the caller that writes it so: ALT and INFO without END. An insertion ends where it begins. */
const written: Record<string, [alternate: string, info: string]> = {
  'DRAGEN gain': ['<DUP>', 'SVTYPE=CNV'],
  'DRAGEN loss': ['<DEL>', 'SVTYPE=CNV'],
  'Manta tandem': ['<DUP:TANDEM>', 'SVTYPE=DUP'],
  'DELLY inversion': ['<INV>', 'SVTYPE=INV'],
  'Canvas copies': ['<CNV>', 'SVTYPE=CNV'],
  '1000 Genomes': ['<CN0>', ''],
  'copies with =': ['<CN=0>', ''],
  'copies of a loss': ['<CN0>', 'SVTYPE=DEL'],
  MELT: ['<INS:ME:ALU>', 'SVTYPE=ALU;SVLEN=280'],
  'MELT L1': ['<INS:ME:LINE1>', 'SVTYPE=LINE1;SVLEN=6000'],
  mobile: ['<INS>', 'SVTYPE=MEI'],
  'plain insertion': ['<INS>', 'SVTYPE=INS'],
  'ExpansionHunter 5': ['<STR18>', ''],
  'ExpansionHunter 4': ['<STR45>', 'SVTYPE=STR'],
};
const names = Object.keys(written);
const isInsertion = (name: string) => written[name]?.[0].startsWith('<INS') === true;
const [gains, losses] = [
  ['DRAGEN gain', 'Manta tandem'],
  ['DRAGEN loss', 'copies of a loss'],
];
const undirected = ['Canvas copies', '1000 Genomes', 'copies with ='];

const found: Record<string, readonly string[]> = {
  DUP: gains,
  'DUP:TANDEM': ['Manta tandem'],
  TDUP: ['Manta tandem'],
  DEL: losses,
  CNV: [...gains, ...losses, ...undirected],
  INV: ['DELLY inversion'],
  INS: ['MELT', 'MELT L1', 'mobile', 'plain insertion'],
  'INS:ME': ['MELT', 'MELT L1', 'mobile'],
  MEI: ['MELT', 'MELT L1', 'mobile'],
  'INS:ME:ALU': ['MELT'],
  alu: ['MELT'],
  LINE1: ['MELT L1'],
  STR: ['ExpansionHunter 5', 'ExpansionHunter 4'],
  STR18: ['ExpansionHunter 5'],
  BND: [],
};

const placeOf = (name: string) => {
  const position = 100_000 * (names.indexOf(name) + 1);
  return { position, end: isInsertion(name) ? position : position + 5000 };
};

for (const engine of sampled(engines, 3, 2)) {
  describe(`beacon: structural types as callers write them (${engine.name})`, function () {
    this.timeout(120_000);
    const loqusdb = { dataset: 'ds', addresses: ['127.0.0.0/8'] };
    const beacon = useOnce(() => serveBeacon(engine, { settings: { loqusdb } }));
    let token: string;
    before(async () => {
      const records = names.map((name) => {
        const [alternate, info] = written[name] as [string, string];
        const { position, end } = placeOf(name);
        const ends = isInsertion(name) ? [] : [`END=${end}`];
        const fields = [...(info === '' ? [] : [info]), ...ends].join(';') || '.';
        return `1 ${position} . N ${alternate} . . ${fields} GT 0/1`;
      });
      await addRecords(beacon.repository, 'ds', records, { samples: ['s'] });
      token = await tokenWith(beacon, 'beacon:observe', 'beacon:read');
    });

    const get = (path: string, fields: Record<string, string>) =>
      send(beacon, `${path}?${new URLSearchParams(fields)}`, { token });

    /** Whether a face finds a type at the place of a record; undefined if the face does not know the type. */
    const faces: Record<string, (type: string, position: number, end: number) => Promise<boolean | undefined>> = {
      async v1(type, position, end) {
        const place = { assemblyId: 'GRCh37', referenceName: '1', start: position - 1, end: Math.max(end, position) };
        return (await ask(beacon.url, { ...place, referenceBases: 'N', variantType: type })).body.exists as boolean;
      },
      async 'v1.1'(type, position, end) {
        if (!(variantTypes as readonly string[]).includes(type)) return undefined;
        const place = { assemblyId: 'GRCh37', referenceName: '1', start: `${position - 1}`, end: `${end}` };
        return (await get('/beacon/v1/query', { ...place, referenceBases: 'N', variantType: type })).body
          .exists as boolean;
      },
      async v2(type, position, end) {
        const place = { assemblyId: 'GRCh37', referenceName: '1', start: `${position - 1}`, end: `${end + 1}` };
        const { body } = await get('/beacon/v2/g_variants', { ...place, variantType: type });
        return (body.responseSummary as Json).exists as boolean;
      },
      async observations(type, position, end) {
        const { body } = await get('/observations', {
          ...{ assembly: 'GRCh37', chromosome: '1', position: `${position}`, end: `${end}`, type },
        });
        return (body.observations as Json[])[0]?.carriers === 1;
      },
      async loqusdb(type, position, end) {
        const { status } = await get('/loqusdb/svs', { chrom: '1', pos: `${position}`, end: `${end}`, sv_type: type });
        return status === 200;
      },
    };

    for (const [face, isFound] of Object.entries(faces)) {
      it(`are found by ${face}`, async () => {
        for (const [type, expected] of Object.entries(found)) {
          const here: string[] = [];
          let isKnown = true;
          for (const name of names) {
            // Questions for stretches of one base, and for insertions with an end, are other questions.
            const { position, end } = placeOf(name);
            const told = await isFound(type, position, end);
            if (told) here.push(name);
            isKnown &&= told !== undefined;
          }
          if (isKnown) expect(here, type).to.deep.equal(names.filter((name) => expected.includes(name)));
        }
      });
    }
  });
}

describe('beacon: structural types in the field of the search page', () => {
  it('are those of the allele, as loads read them', () => {
    const types = Object.values(written).map(([alternate, info]) => {
      const field = readField(`1\t100\t.\tN\t${alternate}\t.\t.\tEND=300;${info}`);
      return 'parameters' in field ? field.parameters.variantType : field.mistake;
    });
    const [mobile, repeats] = [
      ['INS:ME:ALU', 'INS:ME:LINE1', 'INS:ME', 'INS'],
      ['STR:18', 'STR:45'],
    ];
    const copies = ['CNV', 'CNV', 'CNV', 'DEL'];
    expect(types).to.deep.equal(['DUP', 'DEL', 'DUP:TANDEM', 'INV', ...copies, ...mobile, ...repeats]);
  });
});

/** Any file is read, or refused with one sentence. */
import { expect } from 'chai';
import fc from 'fast-check';
import { Fault, isFault } from '../../../../core/fault.js';
import { gathered } from '../../../../core/files.js';
import { annotation, hp, hpoa, obo, read } from './support/build.js';

const graph = {
  graphs: [
    {
      nodes: [118, 200].map((id) => ({ id: `http://purl.obolibrary.org/obo/HP_${hp(id).slice(3)}`, lbl: 'x' })),
      edges: [
        {
          sub: 'http://purl.obolibrary.org/obo/HP_0000200',
          pred: 'is_a',
          obj: 'http://purl.obolibrary.org/obo/HP_0000118',
        },
      ],
    },
  ],
};

const mondo = {
  graphs: [
    {
      nodes: [
        {
          id: 'http://purl.obolibrary.org/obo/MONDO_0007947',
          meta: {
            basicPropertyValues: [
              { pred: 'http://www.w3.org/2004/02/skos/core#exactMatch', val: 'https://omim.org/entry/154700' },
            ],
          },
        },
      ],
      edges: [],
    },
  ],
};

const files: Record<string, string> = {
  obo: obo([
    { id: 118, parents: [] },
    { id: 200, parents: [118], alternatives: [7] },
    { id: 201, parents: [], obsolete: true, replacedBy: 200 },
  ]),
  obographs: JSON.stringify(graph, undefined, 1),
  terms:
    'id\tname\tobsolete\treplaced_by\tparents\tdiseases\nHP:0000118\tP\t0\t\t\t3\nHP:0000200\tQ\t0\t\tHP:0000118\t1\n',
  hpoa: hpoa([annotation('OMIM:1', 200), annotation('ORPHA:2', 118, { not: true })]),
  diseases: 'disease_id\tname\thpo_ids\nOMIM:1\tx\tHP:0000200|HP:0000118\n',
  genes:
    'hgnc_id\tsymbol\tstatus\tensembl_gene_id\tentrez_id\tprev_symbol\talias_symbol\nHGNC:5\tA1BG\tApproved\tENSG00000121410\t1\t"A|B"\tC\n',
  mappings:
    '#mapping_set_version: 2024-08-06\nsubject_id\tpredicate_id\tobject_id\nMONDO:0007947\tskos:exactMatch\tOMIM:154700\n',
  mondo: JSON.stringify(mondo, undefined, 1),
  chains: 'chain 1 X 155270560 + 0 30 X 156040895 - 5 25 1\n10 10 0\n10\n',
};

/** Cuts, duplications, swaps and foreign characters. */
const damage = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    remove: fc.nat({ max: 12 }),
    insert: fc.oneof(
      fc.constantFrom(
        '',
        '\t',
        '\n',
        '\r',
        '"',
        '|',
        '-',
        '9'.repeat(40),
        'HP:',
        '{',
        '}',
        ':',
        '\u0000',
        '#',
        '[Term]\n',
        '\ufeff',
      ),
      fc.string({ maxLength: 6, unit: 'binary' }),
    ),
  }),
  { minLength: 1, maxLength: 4 },
);

describe('matchmaker resources from corrupt files', () => {
  for (const [name, text] of Object.entries(files)) {
    it(`are read or refused with a sentence: ${name}`, async () => {
      expect((await read(text)).entries).to.be.above(0);
      await fc.assert(
        fc.asyncProperty(damage, async (changes) => {
          let changed = text;
          for (const { at, remove, insert } of changes) {
            const place = Math.floor(at * changed.length);
            changed = changed.slice(0, place) + insert + changed.slice(place + remove);
          }
          try {
            const { entries, content } = await read(Buffer.from(changed, 'utf8'), 'it');
            expect(entries).to.be.above(0);
            expect(content.length).to.be.above(0);
          } catch (error) {
            if (!isFault(error)) throw error;
            expect(error.code).to.equal('unprocessable');
            expect(error.message).to.match(/^it\b.+$/s);
            expect(error.message.length).to.be.below(400);
            expect(error.message).to.not.match(/\n/);
          }
        }),
        { numRuns: 400 },
      );
    });
  }

  it('are read only up to the limit if endless', async () => {
    let asked = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      const chunk = new Uint8Array(1_000_000);
      for (;;) {
        asked++;
        yield chunk;
      }
    }
    const large = new Fault('unprocessable', 'too large');
    const [outcome] = await Promise.allSettled([gathered(endless(), large, 5_000_000)]);
    expect(outcome?.status === 'rejected' && outcome.reason).to.equal(large);
    expect(asked).to.equal(6);
  });
});

import { readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  ancestorsOf,
  annotation,
  hp,
  hpoa,
  obo,
  read,
  refusal,
  resourcesOf,
  type ToyTerm,
  termOf,
} from './support/build.js';
import { completeResources, describeWithShared, shared, storedOf } from './support/shared.js';

/**
 * All (1) over Phenotypic abnormality (118) and Onset (5); below 118: A (10) over B (11) and C (12), D (20), and E (30)
 * below both B and D. 40 is withdrawn without a replacement, 41 is now 42, which is now C; 43 was merged into D.
 */
const toy: ToyTerm[] = [
  { id: 1, parents: [] },
  { id: 118, parents: [1] },
  { id: 5, parents: [1] },
  { id: 6, parents: [5] },
  { id: 10, parents: [118] },
  { id: 11, parents: [10] },
  { id: 12, parents: [10] },
  { id: 20, parents: [118], alternatives: [43] },
  { id: 30, parents: [11, 20] },
  { id: 40, parents: [], obsolete: true },
  { id: 41, parents: [], obsolete: true, replacedBy: 42 },
  { id: 42, parents: [], obsolete: true, replacedBy: 12 },
];

/** Four diseases with a phenotype. */
const annotations = [
  annotation('OMIM:1', 11),
  annotation('OMIM:1', 10), // an ancestor of the previous term: the disease counts once
  annotation('OMIM:1', 11, { reference: 'PMID:1' }), // another reference of the same disease
  annotation('OMIM:2', 30),
  annotation('ORPHA:3', 43), // an alternative id of D
  annotation('ORPHA:3', 11, { not: true }),
  annotation('ORPHA:4', 41), // replaced: C
  annotation('ORPHA:4', 6, { aspect: 'C' }),
  annotation('DECIPHER:5', 6, { aspect: 'I' }), // not a phenotype
  annotation('DECIPHER:6', 20, { not: true }),
];

describe('matchmaker ontology', () => {
  it('reads terms, parents, names and the release of hp.obo', async () => {
    const { ontology, releases } = await resourcesOf(obo(toy), hpoa(annotations));
    expect(ontology.size).to.equal(9);
    expect(ontology.id(termOf(ontology, 30))).to.equal('HP:0000030');
    expect(ontology.name(termOf(ontology, 30))).to.equal('term 30');
    expect([...ontology.parents(termOf(ontology, 30))]).to.deep.equal([termOf(ontology, 11), termOf(ontology, 20)]);
    expect(releases.map(({ kind, version }) => [kind, version])).to.deep.include.members([
      ['ontology', '2026-01-02'],
      ['annotations', '2026-01-03'],
    ]);
  });

  it('resolves alternative and replaced ids, and distinguishes withdrawn from unknown ones', async () => {
    const { ontology } = await resourcesOf(obo(toy), hpoa(annotations));
    expect(ontology.resolve('HP:0000020')).to.deep.equal({ term: termOf(ontology, 20) });
    expect(ontology.resolve('hp:0000020')).to.deep.equal({ term: termOf(ontology, 20) });
    expect(ontology.resolve('HP:0000043')).to.deep.equal({ term: termOf(ontology, 20), through: 'alt_id' });
    expect(ontology.resolve('HP:0000041')).to.deep.equal({ term: termOf(ontology, 12), through: 'replaced_by' });
    for (const id of ['HP:0000040', 'HP:9999999', 'HP:20', 'MP:0000020', '', 'HP:00000200']) {
      expect(ontology.resolve(id), id).to.equal(undefined);
    }
    expect(ontology.isObsolete('HP:0000040')).to.equal(true);
    expect(ontology.isObsolete('HP:0000041')).to.equal(true);
    expect(ontology.isObsolete('HP:9999999')).to.equal(false);
    expect(ontology.isObsolete('HP:0000020')).to.equal(false);
  });

  it('includes ancestors up to HP:0000118, and no others', async () => {
    const { ontology } = await resourcesOf(obo(toy), hpoa(annotations));
    expect(ancestorsOf(ontology, 30)).to.deep.equal([10, 11, 20, 30, 118]);
    expect(ancestorsOf(ontology, 118)).to.deep.equal([118]);
    for (const id of [1, 5, 6]) expect(ancestorsOf(ontology, id), hp(id)).to.deep.equal([]);
  });

  it('computes information from shares of diseases: by hand', async () => {
    const { ontology } = await resourcesOf(obo(toy), hpoa(annotations));
    // Diseases: 1 {B}, 2 {E → B, D}, 3 {D}, 4 {C}. Shares: A 1, 2, 4; B 1, 2; C 4; D 2, 3; E 2.
    const expected = {
      118: 0,
      10: Math.log(4 / 3),
      11: Math.log(2),
      12: Math.log(4),
      20: Math.log(2),
      30: Math.log(4),
    };
    expect(ontology.diseases).to.equal(4);
    for (const [id, information] of Object.entries(expected)) {
      expect(ontology.information(termOf(ontology, Number(id))), id).to.be.closeTo(information, 1e-12);
    }
    for (const id of [1, 5, 6]) expect(ontology.information(termOf(ontology, id))).to.equal(0);
    expect(Object.is(ontology.information(termOf(ontology, 118)), 0)).to.equal(true);
  });

  it('treats a term without diseases as the rarest', async () => {
    const { ontology } = await resourcesOf(obo(toy), hpoa([annotation('OMIM:1', 11), annotation('OMIM:2', 20)]));
    expect(ontology.information(termOf(ontology, 12))).to.be.closeTo(Math.log(2), 1e-12);
  });

  it('refuses numbers of no term', async () => {
    const { ontology } = await resourcesOf(obo(toy), hpoa(annotations));
    for (const term of [-1, 9, 0.5, Number.NaN]) {
      expect(() => ontology.name(term)).to.throw(RangeError);
      expect(() => ontology.ancestors(term)).to.throw(RangeError);
      expect(() => ontology.information(term)).to.throw(RangeError);
    }
  });

  it('equals ancestors and information computed with sets, for any graph and any annotations', async () => {
    const graph = fc.array(fc.array(fc.nat({ max: 30 }), { minLength: 0, maxLength: 3 }), {
      minLength: 1,
      maxLength: 25,
    });
    const notes = fc.array(fc.tuple(fc.nat({ max: 6 }), fc.nat({ max: 24 }), fc.boolean()), {
      minLength: 1,
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(graph, notes, async (parentLists, pairs) => {
        // Term 200 + i has parents among 200 … 200 + i − 1 and 118; ids descend so that the file order does not help.
        const id = (i: number): number => 900 - i;
        const terms: ToyTerm[] = [
          { id: 1, parents: [] },
          { id: 118, parents: [1] },
          ...parentLists.map((choices, i) => ({
            id: id(i),
            parents: [...new Set(choices.map((choice) => (choice < i ? id(choice) : choice % 2 === 0 ? 118 : 1)))],
          })),
        ];
        const parentsOf = new Map(terms.map((term) => [term.id, term.parents]));
        const up = (term: number): Set<number> =>
          new Set([term, ...(parentsOf.get(term) ?? []).flatMap((each) => [...up(each)])]);
        const branch = (term: number): number[] => {
          const all = up(term);
          return all.has(118) ? [...all].filter((each) => up(each).has(118)).sort((a, b) => a - b) : [];
        };
        const used = pairs.map(([disease, term, not]) => ({
          disease: `OMIM:${disease}`,
          term: id(term % parentLists.length),
          not,
        }));
        const lines = used.map(({ disease, term, not }) => annotation(disease, term, { not }));
        const diseases = new Map<string, Set<number>>();
        for (const { disease, term, not } of used) {
          if (not || branch(term).length === 0) continue;
          diseases.set(disease, new Set([...(diseases.get(disease) ?? []), ...branch(term)]));
        }
        fc.pre(diseases.size > 0);
        const { ontology } = await resourcesOf(obo(terms), hpoa(lines));
        for (const term of terms) {
          expect(ancestorsOf(ontology, term.id)).to.deep.equal(branch(term.id));
          const share = [...diseases.values()].filter((set) => set.has(term.id)).length;
          const expected = branch(term.id).length === 0 ? 0 : -Math.log(Math.max(share, 1) / diseases.size);
          expect(ontology.information(termOf(ontology, term.id))).to.be.closeTo(expected, 1e-12);
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('matchmaker ontology files', () => {
  const good = obo(toy);

  it('read the same gzipped, with Windows line ends, and as obographs or a table', async () => {
    const plain = await read(good);
    for (const other of [gzipSync(good), good.replaceAll('\n', '\r\n')]) {
      expect(Buffer.compare((await read(other)).content, plain.content)).to.equal(0);
    }
    const address = (id: number) => `http://purl.obolibrary.org/obo/HP_${hp(id).slice(3)}`;
    const property = (pred: string, id: number) => ({ pred, val: hp(id) });
    const nodes = toy.map(({ id, obsolete, replacedBy, alternatives = [] }) => ({
      id: address(id),
      lbl: `term ${id}`,
      meta: {
        ...(obsolete && { deprecated: true }),
        basicPropertyValues: [
          ...alternatives.map((other) =>
            property('http://www.geneontology.org/formats/oboInOwl#hasAlternativeId', other),
          ),
          ...(replacedBy === undefined ? [] : [property('http://purl.obolibrary.org/obo/IAO_0100001', replacedBy)]),
        ],
      },
    }));
    const edges = toy.flatMap(({ id, parents }) =>
      parents.map((parent) => ({ sub: address(id), pred: 'is_a', obj: address(parent) })),
    );
    const meta = { version: 'http://purl.obolibrary.org/obo/hp/releases/2026-01-02/hp.json' };
    const json = await read(JSON.stringify({ graphs: [{ meta, nodes, edges }] }));
    expect(json.version).to.equal('2026-01-02');
    expect(Buffer.compare(json.content, plain.content)).to.equal(0);

    const rows = toy.map(({ id, parents, obsolete, replacedBy }) =>
      [
        hp(id),
        `term ${id}`,
        obsolete ? 1 : 0,
        replacedBy === undefined ? '' : hp(replacedBy),
        parents.map(hp).join('|'),
      ].join('\t'),
    );
    const table = await read(`id\tname\tobsolete\treplaced_by\tparents\n${rows.join('\n')}\n`, 'terms_2026-01-02.tsv');
    expect(table.version).to.equal('2026-01-02');
    const without43 = await read(obo(toy.map(({ alternatives: _, ...term }) => term)));
    expect(Buffer.compare(table.content, without43.content), 'a table has no alternative ids').to.equal(0);
  });

  it('may leave out the names of obsolete terms, which are known by their replacement', async () => {
    const named = await resourcesOf(good, hpoa(annotations));
    const nameless = toy
      .filter(({ obsolete }) => obsolete)
      .reduce((text, { id }) => text.replace(`name: term ${id}\n`, ''), good);
    expect(nameless.length).to.be.below(good.length - 30);
    const graph = JSON.stringify({
      graphs: [
        {
          nodes: toy.map(({ id, obsolete, replacedBy }) => ({
            id: `http://purl.obolibrary.org/obo/HP_${hp(id).slice(3)}`,
            ...(obsolete
              ? {
                  meta: {
                    deprecated: true,
                    basicPropertyValues: replacedBy
                      ? [{ pred: 'http://purl.obolibrary.org/obo/IAO_0100001', val: hp(replacedBy) }]
                      : [],
                  },
                }
              : { lbl: `term ${id}` }),
          })),
          edges: toy.flatMap(({ id, parents }) =>
            parents.map((parent) => ({
              sub: `x/HP_${hp(id).slice(3)}`,
              pred: 'is_a',
              obj: `x/HP_${hp(parent).slice(3)}`,
            })),
          ),
        },
      ],
    });
    for (const [text, has43] of [
      [nameless, true],
      [graph, false],
    ] as const) {
      const { ontology } = await resourcesOf(
        text,
        hpoa(has43 ? annotations : annotations.filter((row) => !row.includes(hp(43)))),
      );
      expect(ontology.size).to.equal(named.ontology.size);
      // 41 is now 42, which is obsolete without a name itself, and now 12.
      for (const id of ['HP:0000041', 'HP:0000042']) {
        expect(ontology.resolve(id)).to.deep.equal({ term: termOf(ontology, 12), through: 'replaced_by' });
      }
      expect(ontology.resolve('HP:0000040')).to.equal(undefined);
    }
  });

  it('are refused with file and line, or the term, if invalid', async () => {
    const cases: [text: string, reason: RegExp][] = [
      [good.replace('id: HP:0000010', 'id: HP:10'), /^hp\.obo, line \d+: "HP:10" is not an HPO id$/],
      [good.replace('name: term 10\n', ''), /^hp\.obo, line \d+: the term above this line has no name$/],
      [good.replace('is_a: HP:0000010', 'is_a: HP:001'), /line \d+: "HP:001" is not an HPO id/],
      [good.replace('is_a: HP:0000010', 'is_a: HP:0000099'), /HP:0000099, a parent of HP:0000011, is not in the file/],
      [good.replace('is_a: HP:0000010', 'is_a: HP:0000040'), /HP:0000040, a parent of HP:0000011, is obsolete/],
      [good.replace('is_a: HP:0000118', 'is_a: HP:0000030'), /HP:00000\d\d is among its own ancestors/],
      [good.replace('id: HP:0000012', 'id: HP:0000011'), /HP:0000011 is defined twice/],
      [good.replaceAll('HP:0000118', 'HP:0000117'), /not the complete HPO/],
      [
        good.replace('synonym: "a', 'rubbish "a').replace('rubbish "a: b', 'rubbish'),
        /line \d+: "rubbish.* is not a line of an OBO file/,
      ],
      [good.slice(0, good.indexOf('name: term 30')), /its last term has no name/],
      ['{"graphs": [', /^hp\.obo, line 1: not a complete JSON document$/],
      ['{"graphs": []}', /not an OBO graph/],
      ['{"graphs": [{"nodes": [{"id": 5}], "edges": []}]}', /not an OBO graph: graphs\.0\.nodes\.0\.id/],
      ['id\tname\tobsolete\tparents\nHP:0000001\tAll\t0\t\n', /line 1: the column "replaced_by" is missing/],
      [
        'id\tname\tobsolete\treplaced_by\tparents\nHP:0000001\tAll\tno\t\t\n',
        /line 2: obsolete must be 0 or 1, not "no"/,
      ],
      ['id\tname\tobsolete\treplaced_by\tparents\nHP:0000001\tAll\n', /line 2: expected 5 columns, found 2/],
    ];
    for (const [text, reason] of cases) expect(await refusal(read(text, 'hp.obo'))).to.match(reason);
  });

  it('of annotations may have the older header, and are refused with file and line', async () => {
    const old =
      '#DatabaseID\tDiseaseName\tQualifier\tHPO_ID\tReference\tEvidence\tOnset\tFrequency\tSex\tModifier\tAspect\tBiocuration';
    const [now, before] = [await read(hpoa(annotations)), await read(hpoa(annotations, old))];
    expect(Buffer.compare(now.content, before.content)).to.equal(0);
    expect(now.entries).to.equal(4);
    const table = 'disease_id\tname\thpo_ids\n';
    const cases: [text: string, reason: RegExp][] = [
      [hpoa([annotation('OMIM:1', 11), 'OMIM:2\tcut']), /^phenotype\.hpoa, line 5: expected 12 columns, found 2$/],
      [hpoa([annotation('OMIM 1', 11)]), /line 4: "OMIM 1" is not a disease id/],
      [hpoa([annotation('OMIM:1', 11).replace('HP:', 'MP:')]), /line 4: "MP:0000011" is not an HPO id/],
      [hpoa([annotation('OMIM:1', 11, { aspect: '?' })]), /line 4: the aspect must be one letter, not "\?"/],
      [
        hpoa([annotation('OMIM:1', 11, { not: true }).replace('NOT', 'PERHAPS')]),
        /line 4: the qualifier must be NOT or empty, not "PERHAPS"/,
      ],
      [hpoa([annotation('OMIM:1', 11, { not: true })]), /no disease in this file has a phenotype/],
      [hpoa([]).replace('\taspect', ''), /line 3: the column "aspect" is missing/],
      [`${table}OMIM:1\tname\n`, /line 2: expected three columns/],
      [`${table}OMIM:1\tname\tHP:1\n`, /line 2: "HP:1" is not an HPO id/],
    ];
    for (const [text, reason] of cases) expect(await refusal(read(text, 'phenotype.hpoa'))).to.match(reason);
  });

  it('of another kind are refused', async () => {
    for (const text of [
      '',
      'hello\n',
      '##fileformat=VCFv4.2\n',
      'a\tb\tc\n',
      '<?xml version="1.0"?>\n',
      '\u0000\u0001',
    ]) {
      expect(await refusal(read(text))).to.match(/is not a known kind of file/);
    }
    expect(await refusal(read(Buffer.from([0xff, 0xfe, 0x41])))).to.match(/is UTF-16 text: save it as UTF-8/);
    expect(await refusal(read(gzipSync(obo(toy)).subarray(0, 200)))).to.match(/damaged or truncated/);
  });
});

describeWithShared('matchmaker: the complete HPO', () => {
  /** Expected values, computed from the files alone with sets. */
  function naive() {
    const document = JSON.parse(gunzipSync(readFileSync(shared('hp.v2024-08-13.json.gz'))).toString());
    const { nodes, edges } = document.graphs[0] as {
      nodes: { id: string; meta?: { deprecated?: boolean; basicPropertyValues?: { pred: string; val: string }[] } }[];
      edges: { sub: string; pred: string; obj: string }[];
    };
    const idOf = (address: string) => address.replace(/^.*\/HP_/, 'HP:');
    const parents = new Map<string, string[]>();
    const other = new Map<string, string>();
    for (const { id, meta } of nodes) {
      if (!id.includes('/HP_')) continue;
      if (!meta?.deprecated) parents.set(idOf(id), []);
      for (const { pred, val } of meta?.basicPropertyValues ?? []) {
        if (pred.endsWith('hasAlternativeId')) other.set(val, idOf(id));
        if (pred.endsWith('IAO_0100001')) other.set(idOf(id), val);
      }
    }
    for (const { sub, pred, obj } of edges) {
      if (pred === 'is_a' && sub.includes('/HP_')) parents.get(idOf(sub))?.push(idOf(obj));
    }
    const known = new Map<string, Set<string>>();
    const up = (id: string): Set<string> => {
      const found = known.get(id) ?? new Set([id, ...(parents.get(id) ?? []).flatMap((parent) => [...up(parent)])]);
      known.set(id, found);
      return found;
    };
    const branch = (id: string): string[] =>
      up(id).has('HP:0000118') ? [...up(id)].filter((each) => up(each).has('HP:0000118')) : [];
    const diseases = new Map<string, Set<string>>();
    for (const line of gunzipSync(readFileSync(shared('phenotype.hpoa.gz')))
      .toString()
      .split('\n')) {
      const cells = line.split('\t');
      if (line.startsWith('#') || cells[10] !== 'P' || cells[2] === 'NOT') continue;
      const [disease = '', , , term = ''] = cells;
      const id = parents.has(term) ? term : (other.get(term) ?? '');
      const terms = diseases.get(disease) ?? new Set();
      for (const each of parents.has(id) ? branch(id) : []) terms.add(each);
      if (terms.size > 0) diseases.set(disease, terms);
    }
    const counts = new Map<string, number>();
    for (const terms of diseases.values()) for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    return { parents, branch, diseases: diseases.size, counts };
  }

  it('has the ancestors and the information derived from its files', async function () {
    this.timeout(120_000);
    const { ontology } = await completeResources();
    const { parents, branch, diseases, counts } = naive();
    expect(ontology.size).to.equal(18_989);
    expect(ontology.size).to.equal(parents.size);
    expect(ontology.diseases).to.equal(diseases);
    for (let term = 0; term < ontology.size; term++) {
      const id = ontology.id(term);
      const ancestors = branch(id);
      const found = [...ontology.ancestors(term)].map((each) => ontology.id(each));
      if (found.join() !== [...ancestors].sort().join()) expect(found, id).to.deep.equal([...ancestors].sort());
      const expected = ancestors.length === 0 ? 0 : -Math.log(Math.max(counts.get(id) ?? 0, 1) / diseases);
      if (Math.abs(ontology.information(term) - expected) > 1e-12)
        expect(ontology.information(term), id).to.equal(expected);
    }
  });

  it('resolves the terms of the reference', async () => {
    const { ontology } = await completeResources();
    const name = (id: string): string | undefined => {
      const resolved = ontology.resolve(id);
      return resolved && `${ontology.id(resolved.term)} ${ontology.name(resolved.term)}`;
    };
    expect(name('HP:0001366')).to.equal('HP:0000252 Microcephaly');
    expect(name('HP:0000057')).to.match(/^HP:0008665 /);
    const microcephaly = ontology.resolve('HP:0000252')?.term ?? -1;
    expect([...ontology.parents(microcephaly)].map((term) => ontology.id(term))).to.deep.equal([
      'HP:0007364',
      'HP:0040195',
    ]);
  });

  it('is also read from the tables of the newer release', async () => {
    const [terms, annotations] = [
      await storedOf(shared('hpo_terms_2025-11-24.tsv.gz')),
      await storedOf(shared('disease_to_terms_2025-11-24.tsv.gz')),
    ];
    expect([terms.version, annotations.version]).to.deep.equal(['2025-11-24', '2025-11-24']);
    expect(annotations.entries).to.equal(8487 + 4314);
  });
});

import { expect } from 'chai';
import { disorderKey } from '../../../../plugins/matchmaker/resources/diseases.js';
import { sssom } from '../matching/support/toy.js';
import { read, refusal, resourcesOf } from './support/build.js';

/**
 * An excerpt made by hand of published ids: Marfan, Williams and Angelman syndrome, and Kabuki syndrome with its two types.
 * MONDO publishes DECIPHER:3 for Williams syndrome as a mere cross-reference; that of Angelman syndrome is stated as exact here.
 */
const exact: [string, string][] = [
  ['MONDO:0007947', 'OMIM:154700'],
  ['MONDO:0007947', 'Orphanet:558'],
  ['MONDO:0008678', 'OMIM:194050'],
  ['MONDO:0007113', 'OMIM:105830'],
  ['MONDO:0007113', 'DECIPHER:4'],
  ['MONDO:0016512', 'Orphanet:2322'],
  ['MONDO:0007843', 'OMIM:147920'],
  ['MONDO:0010465', 'OMIM:300867'],
];
const parents: [string, string][] = [
  ['MONDO:0007843', 'MONDO:0016512'],
  ['MONDO:0010465', 'MONDO:0016512'],
  ['MONDO:0016512', 'MONDO:0003847'],
];

const head =
  '# curie_map:\n#   MONDO: http://purl.obolibrary.org/obo/MONDO_\n' +
  "# mapping_date: '2017-09-20'\n" +
  '# mapping_set_version: http://purl.obolibrary.org/obo/mondo/releases/2024-08-06/mappings/mondo.sssom.tsv\n';
const table = sssom(
  [
    ...exact.map(([subject, object]) => [subject, 'skos:exactMatch', object]),
    ['MONDO:0008678', 'oboInOwl:hasDbXref', 'DECIPHER:3'],
    ['MONDO:0008678', 'skos:closeMatch', 'Orphanet:904'],
    ['MONDO:0016512', 'skos:exactMatch', 'OMIMPS:147920'],
    ['MONDO:0016512', 'skos:exactMatch', 'UMLS:C0796004'],
    ['MONDO:0007843', 'skos:broadMatch', 'Orphanet:2322'],
    ['MONDO:0016512', 'skos:narrowMatch', 'OMIM:300867'],
  ],
  head,
);

const iri = (id: string) => `http://purl.obolibrary.org/obo/${id.replace(':', '_')}`;
const skos = (name: string, val: string) => ({ pred: `http://www.w3.org/2004/02/skos/core#${name}`, val });
const addresses: Record<string, (number: string) => string> = {
  OMIM: (number) => `https://omim.org/entry/${number}`,
  Orphanet: (number) => `http://www.orpha.net/ORDO/Orphanet_${number}`,
};
const source = (val: string) => ({
  basicPropertyValues: [{ pred: 'http://www.geneontology.org/formats/oboInOwl#source', val }],
});

/** As in mondo.json: exact mappings are addresses; those that are not are cross-references with their source. */
function graph(): string {
  const nodes = [...new Set([...exact.map(([id]) => id), ...parents.flat()])].map((id) => ({
    id: iri(id),
    lbl: id,
    meta: {
      basicPropertyValues: exact
        .filter(([subject, object]) => subject === id && !object.startsWith('DECIPHER'))
        .map(([, object]) => {
          const [name = '', number = ''] = object.split(':');
          return skos('exactMatch', addresses[name]?.(number) ?? object);
        }),
      xrefs:
        { 'MONDO:0007113': [{ val: 'DECIPHER:4', meta: source('MONDO:equivalentTo') }] }[id] ??
        (id === 'MONDO:0008678'
          ? [{ val: 'DECIPHER:3', meta: source('MONDO:relatedTo') }, { val: 'Orphanet:904' }]
          : []),
    },
  }));
  const former = {
    id: iri('MONDO:0099999'),
    meta: {
      deprecated: true,
      basicPropertyValues: [
        { pred: 'http://purl.obolibrary.org/obo/IAO_0100001', val: iri('MONDO:0007947') },
        skos('exactMatch', 'https://omim.org/entry/194050'),
      ],
    },
  };
  const edges = parents.map(([sub, obj]) => ({ sub: iri(sub), pred: 'is_a', obj: iri(obj) }));
  const meta = { version: 'http://purl.obolibrary.org/obo/mondo/releases/2024-08-06/mondo.owl' };
  return JSON.stringify({ graphs: [{ meta, nodes: [...nodes, former, { id: iri('HP:0000118') }], edges }] });
}

const key = (id: string) => disorderKey(id) as number;

describe('matchmaker: mappings of diseases', () => {
  const forms = { 'an SSSOM table': table, 'mondo.json': graph() };
  for (const [form, text] of Object.entries(forms)) {
    it(`are read from ${form}`, async () => {
      const resource = await read(text);
      expect([resource.kind, resource.version]).to.deep.equal(['diseases', '2024-08-06']);
      const { diseases } = await resourcesOf(text);
      const same = (one: string, other: string) => diseases.disease(key(one)) === diseases.disease(key(other));
      for (const [one, other] of exact) expect(same(one, other), `${one} ${other}`).to.equal(true);
      expect(same('ORPHA:558', 'mim:154700'), 'through MONDO').to.equal(true);
      expect(same('DECIPHER:3', 'OMIM:194050'), 'a mere cross-reference').to.equal(false);
      expect(same('Orphanet:904', 'OMIM:194050'), 'not exact').to.equal(false);
      expect(same('OMIM:147920', 'Orphanet:2322'), 'a phenotypic series').to.equal(false);
      const near = (one: string, other: string) =>
        diseases.near(diseases.disease(key(one))).includes(diseases.disease(key(other)));
      for (const type of ['OMIM:147920', 'MONDO:0010465']) {
        expect([near(type, 'ORPHA:2322'), near('ORPHA:2322', type)], type).to.deep.equal([true, true]);
      }
      expect(near('OMIM:147920', 'OMIM:300867'), 'two steps').to.equal(false);
      expect(near('OMIM:154700', 'ORPHA:558'), 'the same').to.equal(false);
    });
  }

  it('name the way between two ids', async () => {
    const { diseases } = await resourcesOf(graph());
    const way = (one: string, other: string) =>
      diseases.way(key(one), key(other))?.map(({ id, relation }) => (relation ? `${relation} ${id}` : id));
    expect(way('MIM:154700', 'ORPHA:558')).to.deep.equal(['MIM:154700', 'exact MONDO:0007947', 'exact Orphanet:558']);
    expect(way('OMIM:147920', 'ORPHA:2322')).to.deep.equal([
      'MIM:147920',
      'exact MONDO:0007843',
      'broader MONDO:0016512',
      'exact Orphanet:2322',
    ]);
    expect(way('MONDO:16512', 'OMIM:300867')).to.deep.equal([
      'MONDO:0016512',
      'narrower MONDO:0010465',
      'exact MIM:300867',
    ]);
    expect(way('OMIM:147920', 'OMIM:300867')).to.equal(undefined);
    expect(way('OMIM:1', 'OMIM:2')).to.equal(undefined);
  });

  it('follow former ids of MONDO, but not what an obsolete one was mapped to', async () => {
    const { diseases } = await resourcesOf(graph());
    expect(diseases.disease(key('MONDO:0099999'))).to.equal(diseases.disease(key('ORPHA:558')));
    expect(diseases.disease(key('MONDO:0099999'))).to.not.equal(diseases.disease(key('OMIM:194050')));
  });

  it('leave out negated ones, and those of obsolete terms', async () => {
    const rows = [
      ['subject_id', 'subject_label', 'predicate_modifier', 'predicate_id', 'object_id'],
      ['MONDO:0007947', 'Marfan syndrome', 'Not', 'skos:exactMatch', 'OMIM:194050'],
      ['MONDO:0007947', 'Marfan syndrome', '', 'skos:exactMatch', 'OMIM:154700'],
      // Published so in 2023.
      ['MONDO:0007779', 'obsolete autosomal dominant Opitz G/BBB syndrome', '', 'skos:exactMatch', 'OMIM:145410'],
    ];
    const { diseases } = await resourcesOf(`${rows.map((row) => row.join('\t')).join('\n')}\n`);
    expect(diseases.disease(key('MONDO:0007779'))).to.not.equal(diseases.disease(key('OMIM:145410')));
    expect(diseases.disease(key('MONDO:0007947'))).to.equal(diseases.disease(key('OMIM:154700')));
    expect(diseases.disease(key('MONDO:0007947'))).to.not.equal(diseases.disease(key('OMIM:194050')));
  });

  it('are refused with file and line', async () => {
    const refused = (text: string) => refusal(read(text));
    expect(await refused(table.replace('MONDO:0008678\tskos:exact', 'MONDO:0008678 skos:exact'))).to.equal(
      'file.txt, line 8: expected 3 columns, found 2',
    );
    expect(await refused(table.replace('MONDO:0008678\tskos:exact', 'Williams\tskos:exact'))).to.equal(
      'file.txt, line 8: the subject_id "Williams" is not an id',
    );
    expect(await refused(sssom([['MONDO:0007947', 'skos:closeMatch', 'OMIM:154700']]))).to.match(
      /^file.txt: no two ids of OMIM, Orphanet, MONDO and DECIPHER are mapped exactly in this file$/,
    );
    expect(await refused(graph().slice(0, -10))).to.match(/not a complete JSON document$/);
  });
});

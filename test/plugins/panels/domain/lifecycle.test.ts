import { expect } from 'chai';
import fc from 'fast-check';
import { isFault } from '../../../../core/plugin.js';
import type { PanelVersion } from '../../../../plugins/panels/contract.js';
import { contentDigest, type PanelContent, parseContent } from '../../../../plugins/panels/versions/content.js';
import {
  draftVersion,
  editedVersion,
  retiredVersion,
  sentBack,
  signatures,
  signedVersion,
  submittedVersion,
} from '../../../../plugins/panels/versions/lifecycle.js';

const read = '2026-11-01T00:00:00.000Z';
const at = new Date('2026-11-02T10:00:00Z');
const [anna, bo] = [
  { by: 'anna', at },
  { by: 'bo', at },
];

const bap1 = { hgnc: 950, symbol: 'BAP1', confidence: 'green' as const };
const per3 = { hgnc: 8847, symbol: 'PER3', confidence: 'amber' as const };

function content(genes: PanelContent['genes'] = [per3, bap1]): PanelContent {
  return { name: 'Kidney tumours', genes, source: { kind: 'person', name: 'anna', read } };
}

const draft = () => draftVersion('kidney', '1.0', content(), anna);
const inReview = () => submittedVersion(draft(), anna);

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (isFault(error) && error.code === 'conflict') return error.message;
    throw error;
  }
  throw new Error('was not refused');
}

describe('the life of a panel version', () => {
  it('leads from draft over review to signed off and retired, with who did what', () => {
    const version = retiredVersion(
      signedVersion(inReview(), draft().digest, 1, { ...bo, comment: 'as discussed' }),
      anna,
    );
    expect(version).to.include({ state: 'retired', revision: 4, genes: 2, unmapped: 0, name: 'Kidney tumours' });
    expect(version.history.map(({ what, by, comment }) => [what, by, comment])).to.deep.equal([
      ['made', 'anna', undefined],
      ['submitted', 'anna', undefined],
      ['signed', 'bo', 'as discussed'],
      ['signed off', 'bo', 'as discussed'],
      ['retired', 'anna', undefined],
    ]);
  });

  it('wants signatures of two people where two are wanted', () => {
    const { digest } = draft();
    const once = signedVersion(inReview(), digest, 2, anna);
    expect(once.state).to.equal('in review');
    expect(refusal(() => signedVersion(once, digest, 2, anna))).to.equal('anna has signed kidney@1.0 already');
    expect(signedVersion(once, digest, 2, bo).state).to.equal('signed off');
  });

  it('does not count signatures from before it was sent back', () => {
    const { digest } = draft();
    const again = submittedVersion(sentBack(signedVersion(inReview(), digest, 2, anna), bo), anna);
    expect(signatures(again)).to.deep.equal([]);
    expect(signedVersion(again, digest, 2, bo).state).to.equal('in review');
  });

  it('is not signed if it is not the content that was read', () => {
    const changed = submittedVersion(editedVersion(sentBack(inReview(), bo), content([bap1]), anna), anna);
    expect(refusal(() => signedVersion(changed, draft().digest, 1, bo))).to.equal(
      'kidney@1.0 was changed since it was read: read it again before signing',
    );
  });

  it('does not leave the draft with entries that have no gene, or with none at all', () => {
    const unmapped = [{ given: 'MLL', why: 'a former symbol of two genes', confidence: 'green' as const }];
    const open = editedVersion(draft(), { ...content(), unmapped }, anna);
    expect(refusal(() => submittedVersion(open, anna))).to.equal(
      'kidney@1.0 has 1 entries without a gene: map or remove them first',
    );
    expect(refusal(() => submittedVersion(editedVersion(draft(), content([]), anna), anna))).to.equal(
      'kidney@1.0 has no genes',
    );
  });

  it('never changes its content after it was signed, whatever is tried', () => {
    const genes = fc.uniqueArray(fc.constantFrom(bap1, per3, { ...bap1, hgnc: 4, symbol: 'X' }), {
      minLength: 1,
      selector: ({ hgnc }) => hgnc,
    });
    const acts = fc.array(
      fc.oneof(
        genes.map((some) => (version: PanelVersion) => editedVersion(version, content(some), anna)),
        fc.constantFrom(
          (version: PanelVersion) => submittedVersion(version, anna),
          (version: PanelVersion) => sentBack(version, bo),
          (version: PanelVersion) => signedVersion(version, version.digest, 2, anna),
          (version: PanelVersion) => signedVersion(version, version.digest, 2, bo),
          (version: PanelVersion) => retiredVersion(version, bo),
        ),
      ),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(acts, (tried) => {
        let version = draft();
        for (const act of tried) {
          const before = version;
          try {
            version = act(before);
          } catch (error) {
            if (!(isFault(error) && error.code === 'conflict')) throw error;
            continue;
          }
          const final = before.state === 'signed off' || before.state === 'retired';
          if (final) expect([version.state, version.content]).to.deep.equal(['retired', before.content]);
          expect(version.revision).to.equal(before.revision + 1);
          expect(version.digest).to.equal(contentDigest(version.content));
          if (version.state === 'signed off' && !final) {
            expect(new Set(signatures(version).map(({ by }) => by))).to.deep.equal(new Set(['anna', 'bo']));
            for (const { digest } of signatures(version)) expect(digest).to.equal(version.digest);
          }
        }
      }),
    );
  });
});

describe('the content of a panel version', () => {
  it('has one text, whatever the order of genes and members', () => {
    const { name, source, genes } = content();
    expect(draftVersion('kidney', '1', { source, genes: [...genes].reverse(), name }, anna).content).to.equal(
      draft().content,
    );
    expect(parseContent(draft().content)).to.deep.equal(content([bap1, per3]));
  });

  it('has each gene once', () => {
    expect(() => draftVersion('kidney', '1', content([bap1, bap1]), anna)).to.throw(
      RangeError,
      'HGNC:950 is there twice',
    );
  });
});

/** Control charts of runs, from values made for the test; expected numbers from a naive computation. */
import { expect } from 'chai';
import type { Member } from '../../../../plugins/coverage/cohorts/members.js';
import { createRunCharts, hasDrifted, type RunChart, runChart } from '../../../../plugins/coverage/cohorts/runs.js';
import type { Cohorts } from '../../../../plugins/coverage/cohorts/values.js';

const exons = Array.from({ length: 9 }, (_, i) => ({ chromosome: '1', start: 1000 * i, end: 1000 * i + 100 }));

function membersOf(runs: number, samples: number): Member[] {
  return Array.from({ length: runs * samples }, (_, i) => {
    const run = Math.floor(i / samples);
    return {
      id: `s${i}`,
      revision: '1',
      assay: 'A',
      run: `R${run + 1}`,
      day: `2026-01-${String(10 + run)}`,
      sex: 'female',
    };
  });
}

/** A number from 0 to 1 that looks random. */
const noise = (i: number, exon: number) => (((i * 7919 + exon * 104729 + 13) * 48271) % 2147483647) / 2147483647;

/** Depths around 100, and the cohorts that store them. */
function cohortsOf(depth: (sample: string, exon: number) => number, left: readonly string[] = []): Cohorts {
  return {
    coding: async () => [],
    exons: async () => exons,
    async values({ targets, samples = [] }) {
      const known = samples.filter((id) => !left.includes(id));
      return {
        samples: known,
        thresholds: [],
        targets: targets.map(({ regions }) => {
          const exon = (regions[0]?.start ?? 0) / 1000;
          return { length: 100, means: Float64Array.from(known, (id) => depth(id, exon)), reached: [] };
        }),
        medians: Float64Array.from(known, () => 100),
      };
    },
  };
}

const numberOf = (id: string) => Number(id.slice(1));
const plain = (id: string, exon: number) => 90 + 20 * noise(numberOf(id), exon);
const median = (values: readonly number[]) => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (i: number) => sorted[i] ?? 0;
  return (at(Math.floor((sorted.length - 1) / 2)) + at(Math.floor(sorted.length / 2))) / 2;
};

async function charted(cohorts: Cohorts, members: readonly Member[], assay = 'A'): Promise<RunChart | undefined> {
  return runChart(cohorts, { build: 'GRCh38', assay, members }, new AbortController().signal);
}

describe('control charts of runs', () => {
  it('have for each sample the median of z and the share beyond 3', async () => {
    const members = membersOf(3, 8);
    const chart = await charted(cohortsOf(plain), members);
    expect(chart).to.include({ counted: 'exons', places: 9 });
    expect(chart?.runs.map(({ run, samples }) => [run, samples.length])).to.deep.equal([
      ['R1', 8],
      ['R2', 8],
      ['R3', 8],
    ]);
    const zs = members.map((member) =>
      exons.map((_, exon) => {
        const all = members.map(({ id }) => plain(id, exon) / 100);
        const centre = median(all);
        const mad = median(all.map((value) => Math.abs(value - centre)));
        return (plain(member.id, exon) / 100 - centre) / (1.4826 * mad);
      }),
    );
    const found = (chart?.runs ?? []).flatMap(({ samples }) => samples);
    for (const [i, { id, medianZ, share }] of found.entries()) {
      expect(id).to.equal(`s${i}`);
      expect(medianZ).to.be.closeTo(median(zs[i] ?? []), 1e-9);
      expect(share).to.equal((zs[i] ?? []).filter((z) => Math.abs(z) > 3).length / 9);
    }
    // 20 earlier samples are needed to judge a run; the third has 16.
    for (const { drift } of chart?.runs ?? []) expect(drift.medianZ).to.deep.equal({ rules: [] });
  });

  it('rest on coding segments where there are any', async () => {
    const coding = exons.slice(0, 4);
    const chart = await charted({ ...cohortsOf(plain), coding: async () => coding }, membersOf(3, 8));
    expect(chart).to.include({ counted: 'coding', places: 4 });
  });

  it('find a run that drifted, and no other', async () => {
    const drifted = (id: string, exon: number) => plain(id, exon) * (numberOf(id) >= 32 ? 0.8 : 1);
    const chart = await charted(cohortsOf(drifted), membersOf(5, 8));
    const last = chart?.runs.at(-1);
    expect(last?.earlier).to.equal(32);
    const earlier = (chart?.runs ?? []).slice(0, -1).flatMap(({ samples }) => samples.map(({ medianZ }) => medianZ));
    const centre = median(earlier);
    const mad = median(earlier.map((value) => Math.abs(value - centre)));
    expect(last?.drift.medianZ.distance).to.be.closeTo(((last?.medianZ ?? 0) - centre) / (1.4826 * mad), 1e-9);
    expect(last?.drift.medianZ.rules).to.include('1-3s');
    // Every sample of the run is below every earlier one: U is 0.
    expect(last?.drift.medianZ.test?.u).to.equal(0);
    expect(last?.drift.medianZ.test?.p).to.be.below(0.001);
    expect(hasDrifted(last?.drift.medianZ ?? { rules: [] })).to.equal(true);
    for (const { drift } of chart?.runs.slice(0, -1) ?? []) expect(drift.medianZ.rules).to.not.include('1-3s');
  });

  it('call it a drift if a rule rejects or the test differs, and not for a warning', () => {
    expect(hasDrifted({ rules: [] })).to.equal(false);
    expect(hasDrifted({ rules: ['1-2s'], test: { u: 1, p: 0.001 } })).to.equal(false);
    expect(hasDrifted({ rules: [], test: { u: 1, p: 0.0009 } })).to.equal(true);
    expect(hasDrifted({ rules: ['10-x'] })).to.equal(true);
  });

  it('order runs by day, and leave out samples without a run or without values', async () => {
    const members: Member[] = membersOf(3, 6).map((member) =>
      member.run === 'R1' ? { ...member, day: '2026-02-01' } : member,
    );
    const [first, ...rest] = members.map((member, i) => (i === 1 ? withoutRun(member) : member)) as [
      Member,
      ...Member[],
    ];
    const chart = await charted(cohortsOf(plain, ['s0']), [first, ...rest]);
    expect(chart?.runs.map(({ run, samples }) => [run, samples.length])).to.deep.equal([
      ['R2', 6],
      ['R3', 6],
      ['R1', 4],
    ]);
  });

  it('are kept until samples, their files or the exons change', async () => {
    let [asked, release] = [0, 'one'];
    const cohorts = cohortsOf(plain);
    const counted: Cohorts = {
      ...cohorts,
      values(question, signal) {
        if (question.targets.length > 0) asked += 1;
        return cohorts.values(question, signal);
      },
    };
    const set = { kind: 'exons', build: 'GRCh38', source: '', read: 0, skipped: {}, rows: 0, chromosomes: [] } as const;
    const sets = async () => [{ ...set, checksum: release, loaded: new Date(0), chromosomes: [] }];
    const charts = createRunCharts(counted, { sets });
    const members = membersOf(3, 8);
    const { signal } = new AbortController();
    const chart = (own: readonly Member[]) => charts({ build: 'GRCh38', assay: 'A', members: own }, signal);
    const first = await chart(members);
    expect(await chart(members)).to.equal(first);
    expect(asked).to.equal(1);
    await chart([...members, { ...(members[0] as Member), id: 'other', assay: 'B' }]);
    expect(asked, 'another assay').to.equal(1);
    await chart(members.map((member, i) => (i === 5 ? { ...member, revision: '2' } : member)));
    expect(asked, 'another file').to.equal(2);
    expect((await chart(members.slice(1)))?.runs[0]?.samples).to.have.lengthOf(7);
    release = 'two';
    await chart(members.slice(1));
    expect(asked, 'other exons').to.equal(4);
  });

  it('are not drawn for another assay, fewer than ten samples, or no runs', async () => {
    expect(await charted(cohortsOf(plain), membersOf(3, 8), 'B')).to.equal(undefined);
    expect(await charted(cohortsOf(plain), membersOf(1, 9))).to.equal(undefined);
    expect(await charted(cohortsOf(plain), membersOf(3, 8).map(withoutRun))).to.equal(undefined);
    expect(await charted(cohortsOf(plain, ['s0']), membersOf(1, 10))).to.equal(undefined);
  });
});

function withoutRun({ run: _, ...member }: Member): Member {
  return member;
}

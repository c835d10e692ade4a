/**
 * The attack on membership over HTTP: a dataset of 40 people in a real server on SQLite, and 40 + 40 outsiders, asked about through
 * all faces in turn. It finds those members whom the rule of the profile alone reveals; what that bounds is measured without a server,
 * among 1,000 people (attack.test.ts): of 40 it reveals more. The suite asks two questions about half of the members and all outsiders:
 * the rarest alleles cost most of a budget. With `TEST_QUESTIONS=250` (`.ci/long`) it is all members, 250 questions about each person,
 * and random order as well.
 */
import { join } from 'node:path';
import { expect } from 'chai';
import { issueToken } from '../../../../core/auth/access.js';
import type { Publishing } from '../../../../plugins/beacon/protection/contract.js';
import { carrierShare, lowerShare } from '../../../../plugins/beacon/protection/spend.js';
import { blockFolder } from '../../../support/folder.js';
import { sqlite } from '../../../support/storages.js';
import { type Beacon, dataset, load, serveBeacon } from '../support/serve.js';
import { stops } from './support/attack.js';
import { budgeted, type Defence, open } from './support/defences.js';
import {
  type Ask,
  type Attack,
  attackServer,
  mixedFaces,
  orders,
  regionsOnChromosome1,
  sampleOf,
  trueCount,
  writeFrequencies,
  writeMembers,
} from './support/over-http.js';
import { makeWorld, type World } from './support/world.js';

const questions = Number(process.env.TEST_QUESTIONS ?? 2);
const isWhole = questions >= 50;
const members = 40;
/** Members who are attacked. */
const attacked = isWhole ? members : members / 2;
/** Each of two groups: their 5 % are two people, fewer would make a poor threshold. */
const outsiders = 40;

const share = (world: World, place: number) => carrierShare(lowerShare(trueCount(world, place)));
const named = budgeted({ name: 'careful, named caller', budget: 0.5, least: 1, share });
const anonymous = budgeted({ name: 'careful, anonymous callers', budget: 0.5, least: 3, share });

/** For so many questions the server answers as the rule does; later the storage rounds up what others have spent. */
const exact = 10;
/** Then it is another draw: the share of 40 members who are found has a standard error of at most √(0.5 · 0.5 / 40) = 0.079. */
const draw = 2 * Math.sqrt(0.25 / attacked);
/** Of one group of outsiders at the threshold of the other: both vary. */
const mostFalse = 0.05 + 3 * Math.sqrt((2 * 0.05 * 0.95) / outsiders);

describe('attack on membership over HTTP (SQLite)', function () {
  this.timeout(60_000 + 60_000 * questions);
  // Alleles down to a quarter of one carrier among 40 people, as 1 / 4000 is for 1,000.
  const world = makeWorld({ seed: 40, members, loci: 2000, rarest: 1 / (4 * members), regions: regionsOnChromosome1 });
  const samples = Array.from({ length: members }, (_, member) => sampleOf(member)).sort();
  const folder = blockFolder();
  let server: Beacon;
  let published: Publishing;
  let accounts = 0;

  before(async () => {
    const file = join(folder, 'members.vcf');
    await writeMembers(world, file);
    const frequencies = { GRCh37: [await writeFrequencies(world, folder)] };
    // The profile lets anonymous callers query datasets of 100 people on: here 40 are enough, so that there is something to attack.
    const careful = { profile: 'careful', minimumSize: members };
    server = await serveBeacon(sqlite, {
      checkAnswers: false,
      settings: { protection: { datasets: { careful, open: 'open' }, frequencies } },
    });
    for (const id of ['careful', 'open']) {
      await server.repository.addDataset(dataset(id), new Date());
      await load(server.repository, id, [file]);
    }
    const found = await server.repository.dataset('careful');
    if (!found) throw new Error('the dataset is missing');
    const { created, alleleCount: alleles, callCount: calls } = found;
    published = { dataset: 'careful', created, samples, totals: { alleles, calls, samples: members } };
    await server.protection().publish(published, new Date());
  });
  after(async () => {
    await server?.close();
  });

  /** An API token without the right to read: an account of its own. */
  async function newCaller() {
    const { token } = await issueToken(server.tokens, { owner: `visitor ${accounts++}`, scopes: [] }, new Date());
    return mixedFaces(world, server.url, 'careful', { 'x-auth-token': token }, accounts);
  }

  /** Anonymous callers share one account: each attack begins with full budgets, the worst case. */
  async function unspent() {
    await server.protection().drop('careful');
    await server.protection().publish(published, new Date());
    return mixedFaces(world, server.url, 'careful', {}, accounts++);
  }

  /** What the rule alone answers, without a server. */
  function byRule(defence: Defence): Ask {
    const account = defence.account(world);
    return async (place) => account.ask(place) > 0;
  }

  const powersOf = (attack: Pick<Attack, 'defence' | 'order' | 'begin'> & Partial<Attack>) =>
    attackServer({ world, questions, members: attacked, outsiders, ...attack });

  it('finds members of an open dataset: the attack sees what is there to see', async () => {
    const begin = async () => mixedFaces(world, server.url, 'open', {}, accounts++);
    // Three questions and half of the people are enough.
    const few = { questions: 3, members: 20, outsiders: 20 };
    const powers = await powersOf({ defence: open, order: orders['rarest first'], begin, ...few });
    expect(Math.max(...powers.map(({ power }) => power))).to.be.above(0.8);
  });

  const tiers = [
    { defence: named, begin: newCaller },
    { defence: anonymous, begin: unspent },
  ];
  for (const { defence, begin } of tiers) {
    for (const [name, order] of Object.entries(orders)) {
      if (name === 'random' && !isWhole) continue;
      it(`finds those members that the rule of the profile reveals: ${defence.name}, ${name}`, async () => {
        const different: number[] = [];
        let yes = 0;
        const onAnswer: Attack['onAnswer'] = ({ place, before, told, expected }) => {
          if (told) yes++;
          if (before < exact && told !== expected) different.push(place);
        };
        const found = await powersOf({ defence, order, begin, onAnswer });
        const ruled = await powersOf({ defence, order, begin: async () => byRule(defence) });
        for (const [i, { power, falsePositives }] of found.entries()) {
          const [stop, rule] = [stops[i] ?? questions, ruled[i] as (typeof ruled)[number]];
          if (stop <= exact) expect({ power, falsePositives }, `after ${stop} questions`).to.deep.equal(rule);
          expect(power, `power of ${stop} questions`).to.be.closeTo(rule.power, draw);
          expect(falsePositives, 'false positives').to.be.at.most(mostFalse);
        }
        // Not because nothing is answered.
        expect(yes).to.be.above(attacked);
        expect(different, 'places with another answer than by the rule alone').to.deep.equal([]);
      });
    }
  }
});

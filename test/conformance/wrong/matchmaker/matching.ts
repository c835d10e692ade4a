/** Repositories of what matching needs that break one promise. */
import { matchmakerResources, type ResourceRepository } from '../../../../plugins/matchmaker/contract.js';
import { type Damage, type Wrong, wrongRepository } from '../wrap.js';

const resource = (does: string, fails: string, damage: Damage<ResourceRepository>): Wrong =>
  wrongRepository(matchmakerResources, does, fails, damage);

export const wrongResources: readonly Wrong[] = [
  resource('keeps only what was given last', 'only the given kinds are replaced', () => {
    let last: readonly string[] = [];
    return (right) => ({
      replace: (given) => {
        last = given.map(({ kind }) => kind);
        return right.replace(given);
      },
      load: async () => {
        const { revision, resources } = await right.load();
        return { revision, resources: resources.filter(({ kind }) => last.includes(kind)) };
      },
    });
  }),
];

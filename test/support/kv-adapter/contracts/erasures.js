/** erasures@1: the end of the list of erasures. */
import { keyOf } from '../keys.js';

const key = keyOf('end');

export default ({ read, write }) => ({
  known: () => read((space) => space.get(key)),

  note: ({ number, code }) =>
    write(async (space) => {
      const end = await space.get(key);
      if (end === undefined || number > end.number) space.put(key, { number, code });
    }),
});

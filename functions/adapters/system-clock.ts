/** The machine's own time and randomness. */
import { randomInt } from 'node:crypto';
import type { Clock, Ids } from '../ports.ts';

export const systemClock: Clock = { now: () => new Date() };

const letters = 'abcdefghijklmnopqrstuvwxyz';
const alphabet = `${letters}0123456789`;

/** The first character is a letter: ids are used where names must begin with one. */
export const randomIds: Ids = {
  hash: (length) =>
    Array.from({ length }, (_, place) => {
      const from = place === 0 ? letters : alphabet;
      return from.charAt(randomInt(from.length));
    }).join(''),
};

/** The address of a person: the plain form of RFC 5321, without comments, quotes and literals, which no header is confused by. */
import { z } from 'zod';
import { hasControlCharacter, isHarmless, shown } from './names.ts';

const mostOfAddress = 254;
const mostOfLocalPart = 64;
const plainAddress = /^[A-Za-z0-9_+-]+(?:\.[A-Za-z0-9_+-]+)*@(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z][A-Za-z0-9-]{1,62}$/;

export const EmailAddress = z
  .string()
  .max(mostOfAddress, { error: `has more than ${mostOfAddress} characters; shorten it`, abort: true })
  .refine(isHarmless, { error: hasControlCharacter, abort: true })
  .regex(plainAddress, { error: ({ input }) => `${shown(input)} is not an e-mail address; ${form}`, abort: true })
  .refine((address) => address.indexOf('@') <= mostOfLocalPart, {
    error: `has more than ${mostOfLocalPart} characters before "@"; shorten it`,
  })
  .refine((address) => labelsOf(address).every((label) => !label.startsWith('-') && !label.endsWith('-')), {
    error: ({ input }) => `the host of ${shown(input)} is not a DNS name; ${form}`,
  });

const form = 'write name@example.com: letters, digits and . _ + - before "@", a DNS name after it';

const labelsOf = (address: string): readonly string[] => address.slice(address.indexOf('@') + 1).split('.');

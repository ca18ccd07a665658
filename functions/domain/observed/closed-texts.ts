/**
 * What machines, tools, clusters and clouds report is hostile until it is parsed into one of these types. A text has a pattern, and a
 * length that is judged before the pattern runs; words for people are cut and escaped. So no answer reaches a template engine, a shell,
 * a file or a client as it came.
 */
import { z } from 'zod';
import { printableText } from './printable-text.ts';

/** A text of at most `limit` characters that matches `pattern`, which never runs on a longer one. */
export const closedText = (limit: number, pattern: RegExp) =>
  z.string().check(z.maxLength(limit, { abort: true }), z.regex(pattern));

/** Words for people: at most `limit` characters of them are kept, and what a terminal would obey is escaped. */
export const observedWords = (limit: number) => z.string().transform((text) => printableText(text, limit));

/** The same in one line, as names are: a newline is escaped, too. */
export const observedLine = (limit: number) =>
  z.string().transform((text) => printableText(text, limit).replaceAll('\n', '\\u000a'));

/** A key of WireGuard: 32 bytes in base64. */
export const WireguardKey = closedText(44, /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/);

/** The id of one start of a Linux kernel: a UUID in lower case. */
export const BootId = closedText(36, /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);

export const PortNumber = z.number().int().check(z.gte(1), z.lte(65_535));

export const IpAddress = z.union([z.ipv4(), z.ipv6()]);

/** Name of a node: a host name in lower case. */
export const MachineName = closedText(253, /^[a-z0-9][-a-z0-9.]*$/);

/** Up to four paths or globs below /dev, separated by spaces: the first that finds something is the device. */
export const DataDevice = closedText(400, /^(?!.*\.\.)\/dev\/[\w./:*?[\]+@=-]+(?: \/dev\/[\w./:*?[\]+@=-]+){0,3}$/);

/** What a cloud calls a network: a UUID, an address, a CIDR. */
export const LocalNetwork = closedText(200, /^[\w./:@+=-]+$/);

/** Name or address of a host, as a DNS service reports it: with or without the root's dot. */
export const HostName = closedText(254, /^[A-Za-z0-9][A-Za-z0-9.-]*$/);

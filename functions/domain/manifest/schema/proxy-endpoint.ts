/** Address of a proxy: in a manifest, and in the setting of an installation, which every function reads. */
import { z } from 'zod';
import { addressFault, type Objection } from './address-fault.ts';
import { Text } from './names.ts';

/** Lines, quotes and options of other programs have no place in it: it is written into files of every node. */
const proxyAddress = /^(https?:\/\/)?([A-Za-z0-9_][\w.-]*|\[[\da-f:.]+\])(:\d{1,5})?\/?$/i;
const written = 'use "http://", a host name or an address, and a port, such as "http://proxy.example.com:3128"';

/** As documents of earlier releases may have it. The manifest is stored and shown in plain text, and so is everything derived from it. */
export const StoredProxyEndpoint = Text.refine((endpoint) => !/^([a-z+]+:\/\/)?[^/]*@/i.test(endpoint), {
  error:
    'contains a user or a password, and a manifest is stored in plain text; use a proxy that accepts the nodes without them',
  abort: true,
})
  .refine((endpoint) => endpoint.length <= 300 && proxyAddress.test(endpoint), {
    // Without the text: it may have a password.
    error: `is not the address of a proxy; ${written}`,
  })
  .meta({
    pattern:
      '^[hH][tT][tT][pP][sS]?://(?!127\\.|169\\.254\\.|0\\.|[lL][oO][cC][aA][lL][hH][oO][sS][tT]\\b)[^\\s@/]+/?$',
  });

/** What programs of nodes do not accept of a text of that form: apt wants the scheme, and a loopback address is each node itself. */
export function proxyFault(endpoint: string): Objection | undefined {
  if (!/^https?:\/\//i.test(endpoint)) {
    const reason = 'is the address of a proxy without "http://", which apt refuses';
    return { reason, fix: `write "http://${endpoint}"` };
  }
  if (!URL.canParse(endpoint) || new URL(endpoint).port === '0')
    return { reason: 'has no host or no port that there is', fix: written };
  const host = new URL(endpoint).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const fix = 'name a proxy that all nodes reach';
  if (/^(?:.*\.)?localhost$/.test(host)) return { reason: 'is the node itself, which is not a proxy', fix };
  if (/\.\.|^\.|^-/.test(host)) return { reason: 'has no host that there is', fix: written };
  const unreachable = addressFault(host);
  return unreachable && { reason: unreachable.reason, fix };
}

/** As it is written now. */
export const ProxyEndpoint = StoredProxyEndpoint.superRefine((endpoint, { addIssue }) => {
  const fault = StoredProxyEndpoint.safeParse(endpoint).success ? proxyFault(endpoint) : undefined;
  if (fault !== undefined) addIssue({ code: 'custom', message: `${fault.reason}; ${fault.fix}` });
});

/** The setting of an installation: empty, or an endpoint. */
export const ProxySetting = z.union([z.literal(''), ProxyEndpoint]);

/** Address of a proxy: in a manifest, and in the setting of an installation, which every function reads. */
import { z } from 'zod';
import { Text } from './names.ts';

/** Lines, quotes and options of other programs have no place in it: it is written into files of every node. */
const proxyAddress = /^(https?:\/\/)?([A-Za-z0-9_][\w.-]*|\[[\da-f:.]+\])(:\d{1,5})?\/?$/i;

/** The manifest is stored and shown in plain text, and so is everything derived from it. */
export const ProxyEndpoint = Text.refine((endpoint) => !/^([a-z+]+:\/\/)?[^/]*@/i.test(endpoint), {
  error:
    'contains a user or a password, and a manifest is stored in plain text; use a proxy that accepts the nodes without them',
}).refine((endpoint) => endpoint.length <= 300 && proxyAddress.test(endpoint), {
  // Without the text: it may have a password.
  error:
    'is not the address of a proxy; use "http://", a host name or an address, and a port, such as "http://proxy.example.com:3128"',
});

/** The setting of an installation: empty, or an endpoint with its scheme, without which apt refuses it. */
export const ProxySetting = z.union([
  z.literal(''),
  ProxyEndpoint.regex(/^https?:\/\//i, {
    error: 'is not the address of a proxy; begin with "http://", as in "http://proxy.example.com:3128"',
  }),
]);

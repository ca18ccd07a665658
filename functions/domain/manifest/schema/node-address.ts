/** Address of a machine, wherever a document names one. Its rules are in `address-fault.ts`. */
import { z } from 'zod';
import { shown } from './names.ts';

/** What an editor can know of the rules below. */
const unusable =
  '^(0|127|169\\.254|22[4-9]|2[3-5]\\d)\\.|^::1?$|^[fF][eE][89abAB][0-9a-fA-F]:|^[fF][fF][0-9a-fA-F]{2}:|^::[fF]{4}:';

/** Documents of earlier releases may have any address, so its rules are asked when a document is submitted: `addressFault`. */
export const NodeAddress = z
  .union([z.ipv4(), z.ipv6()], {
    error: (issue) => `${shown(issue.input)} is not an IP address; give the address of the machine`,
  })
  .meta({ not: { pattern: unusable } });

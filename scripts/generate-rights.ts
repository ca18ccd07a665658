/** Writes functions/rights/uses.json: what the roles in AWS are made of. Read its diff: every new line is a new right. */
import { deriveUses } from '../cdk/rights/derive-uses.ts';
import { settle } from './generated.ts';

settle('functions/rights/uses.json', `${JSON.stringify(await deriveUses(), null, 2)}\n`);

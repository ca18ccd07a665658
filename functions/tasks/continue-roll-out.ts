/** Continue Roll Out: a roll-out whose execution was interrupted gets another one. */
import { EndedRollOutInput } from '#contracts/state-inputs.ts';
import { taskHandler } from '../middleware.ts';
import { continueRollOut } from '../pipeline/roll-outs/continue-roll-out.ts';

const uses = ['events.append', 'rollOuts.get', 'rollOuts.put', 'workflows.startRollOut'] as const;

export const handler = taskHandler(EndedRollOutInput, uses, continueRollOut);

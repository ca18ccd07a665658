/** Starts a roll-out of documents, or the one that someone proposed. */
import { operations } from '#contracts/operations/operations.ts';
import { wantedPlan } from '#contracts/roll-outs.ts';
import { parseInput } from '../failures.ts';
import { inventoryPlanKey, isProposed, readPlan } from '../pipeline/proposals/kept-plans.ts';
import { rollOut, settingsIn } from '../pipeline/roll-outs/start-roll-out.ts';
import { approve } from './carry-out.ts';
import { handle } from './http/handle.ts';
import { requestDocuments } from './http/request-document.ts';
import { describeRollOut, startExecution } from './roll-outs.ts';

export const startRollOut = handle(operations.startRollOut, async (request, deps) => {
  const { caller, query, headers } = request;
  const key = inventoryPlanKey(request.path.namespace);
  const wanted = parseInput(wantedPlan, headers['kubeloom-plan'], 'the header Kubeloom-Plan')?.[0];
  const documents = request.body.length > 0 ? requestDocuments(request, deps) : [];
  const asked = { clusters: query.clusters, settings: settingsIn(query) };
  // An approver starts what someone proposed by the id of its plan alone.
  const kept = wanted !== undefined && documents.length === 0 ? await readPlan(deps, key, wanted) : undefined;
  const record = isProposed(kept, ['rollOut'])
    ? await approve(deps, key, kept, { caller, asked })
    : await rollOut(deps, key.namespace, { ...asked, documents, caller, wanted });
  return { json: describeRollOut(await startExecution(deps, record), 'RUNNING') };
});

/** Starts a roll-out of documents, or the one that someone proposed. */
import { operations } from '#contracts/operations/operations.ts';
import { wantedPlan } from '#contracts/roll-outs.ts';
import { settingsIn } from '#domain/roll-out/roll-out-settings.ts';
import { parseInput } from '../failures.ts';
import { inventoryPlanKey, isProposed, readPlan } from '../pipeline/proposals/kept-plans.ts';
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
  const kept = wanted === undefined ? undefined : await readPlan(deps, key, wanted);
  // An approver starts what someone proposed by the id of its plan alone, or with the same documents.
  const approves = documents.length === 0 || (kept?.by !== caller.name && !kept?.approved && !kept?.closed);
  const record =
    approves && isProposed(kept, ['rollOut'])
      ? await approve(deps, key, kept, { caller, asked: { ...asked, ...(documents.length > 0 && { documents }) } })
      : await (await import('../pipeline/roll-outs/start-roll-out.ts')).rollOut(deps, key.namespace, {
          ...asked,
          documents,
          caller,
          wanted,
        });
  return { json: describeRollOut(await startExecution(deps, record), 'RUNNING') };
});

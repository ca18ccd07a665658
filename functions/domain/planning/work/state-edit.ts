/** The waypoint that edits a Terraform state: from a state to the same state, forward-only, and done once. */
import { allNodes, type ClusterState } from '#domain/cluster-state.ts';
import type { Waypoint } from '#domain/plan.ts';
import type { StateEditWork } from '#domain/state-edit.ts';
import { stateEditTexts, stateEditTitle } from '../text/state-edit-text.ts';

/** `target`: what exists, or what was attempted where nothing was reached yet; `key`: of the edit for the runner. */
export function stateEditWaypoint(target: ClusterState | null, edit: StateEditWork, key: string): Waypoint {
  const nodes = new Set((target === null ? [] : allNodes(target)).map(({ node }) => node.name));
  const title = stateEditTitle(edit);
  const what = [...stateEditTexts(edit, nodes)];
  return {
    direction: 'edit',
    target,
    changes: [{ kind: 'StateEdited', title, what }],
    stages: [
      {
        stage: 'infrastructure',
        reasons: [`${title}, requested by ${edit.by}`],
        work: { workspaces: [], stateEdit: key },
      },
    ],
    undo: [],
  };
}

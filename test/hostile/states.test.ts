/** A state that lies: what a cloud or a plugin chose is in it, and a person reads it. */
import { describe, expect, it } from 'vitest';
import { ReadState } from '#contracts/state-reading.ts';
import { readState } from '#runner/access/read-state.ts';
import { hostileTexts, obeyedInJson } from './lies.ts';
import { outcomeOf } from './outcome-of.ts';
import { silentCanary } from './silent-canary.ts';

const canary = silentCanary();

const stateOf = (resource: object, more: object = {}) => ({
  version: 4,
  serial: 1,
  resources: [{ mode: 'managed', type: 'a', name: 'b', ...resource }],
  ...more,
});

/** What is shown; undefined for a failure, which is judged. */
async function readOf(state: unknown): Promise<unknown> {
  const text = typeof state === 'string' ? state : JSON.stringify(state);
  const getText = async (key: string) => (key.endsWith('.tfstate') ? text : undefined);
  const question = { namespace: 't', manifest: 'm', cluster: 'c', workspaces: ['machines-x'] };
  return outcomeOf(() => readState(question, { ports: { artifacts: { getText } } } as never), 'a state');
}

describe('a Terraform state that lies', () => {
  it('values are shown in one line, cut and escaped, or the state is refused', async () => {
    for (const text of Object.values(hostileTexts(canary.file))) {
      for (const state of [
        stateOf({ instances: [{ attributes: { id: text, name: text } }] }),
        stateOf({ instances: [{ index_key: text, attributes: {} }] }),
        stateOf({ module: text, instances: [{}] }),
        stateOf({ name: text, instances: [{}] }),
        stateOf({ type: text, instances: [{ status: text }] }),
        stateOf({ instances: [{ attributes: { [text]: text, id: { [text]: text }, name: [text] } }] }),
      ]) {
        const found = await readOf(state);
        if (found === undefined) continue;
        expect(ReadState.parse(found)).toEqual(found);
        expect(JSON.stringify(found)).not.toMatch(obeyedInJson);
        expect(JSON.stringify(found).length).toBeLessThan(30_000);
      }
    }
  });

  it('what is no state is a failure that names the workspace, never a fault of ours', async () => {
    for (const state of ['', 'not JSON', '[]', '{}', '{"version":3,"modules":[]}', stateOf({ instances: 'x' })])
      expect(await readOf(state)).toBeUndefined();
  });
});

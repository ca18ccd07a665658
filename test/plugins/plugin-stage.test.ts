/** Provider types from elsewhere in an infrastructure stage: their Secrets, and two instances of one type at once. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pluginKeys } from '#contracts/job.ts';
import type { NodePoolState } from '#domain/cluster-state.ts';
import { withCopy } from '#domain/template-version.ts';
import { checksumOfCopy } from '#runner/terraform/templates/kept-copy.ts';
import { dynamicPool, twoProviderState } from '#test/rendering/states.ts';
import { aDocument, type StageWorld, stageWorld } from '#test/runner/stage-world.ts';

const description = {
  title: 'Acme',
  provider: { name: 'acme', source: 'acme/acme', version: '1.0.0', credentials: { token: 'token' } },
  secret: { type: 'object', properties: { token: { type: 'string', minLength: 8 } }, required: ['token'] },
};
const files = {
  'provider.json': JSON.stringify(description),
  'network/main.tf': '',
  'nodepool/main.tf': '',
  'list.ts': `console.log('{"items":[]}');`,
};
const content = Object.entries(files).map(([path, text]) => [path, Buffer.from(text).toString('base64')]);
const copy = JSON.stringify({ schema: 1, files: Object.fromEntries(content) });
const templates = withCopy(`git:git.example.com/acme/types@${'a'.repeat(40)}#.`, checksumOfCopy(copy));

/** Notes environment and modules of each workspace, and makes the machine of its pool. */
const summary = JSON.stringify({
  type: 'change_summary',
  '@message': '',
  changes: { add: 1, change: 0, remove: 0, operation: 'plan' },
});
const terraform = `#!/bin/bash
place=$(basename "$PWD")
case $1 in
  init) env > "$KUBELOOM_TEST_NOTES/$place.env"; ls -d modules*/ > "$KUBELOOM_TEST_NOTES/$place.modules"
    cp main.tf.json "$KUBELOOM_TEST_NOTES/$place.json" ;;
  plan) echo '${summary}'; exit 2 ;;
  apply) echo '${summary}' ;;
  show) echo '{"format_version":"1.0"}' ;;
  output) pool=\${place#machines-acme-}
    echo "{\\"nodes\\":{\\"value\\":{\\"web-$pool\\":{\\"web-$pool-01\\":{\\"public_address\\":\\"198.51.100.1\\"}}}}}" ;;
esac
`;

let world: StageWorld;
beforeEach(async () => {
  world = stageWorld();
  world.set('KUBELOOM_TERRAFORM', world.script('terraform', terraform));
  world.set('KUBELOOM_TEST_NOTES', world.directory);
  await world.ports.artifacts.putText(pluginKeys.accepted(checksumOfCopy(copy)), copy);
});
afterEach(() => world.close());

const instances = ['aaaaaaa', 'bbbbbbb'];
const pools: readonly NodePoolState[] = instances.map((id) => {
  const provider = { name: `acme-${id}`, type: 'acme', secret: `team/${id}`, templates };
  const nodes = [{ name: `web-${id}-01`, privateAddress: `192.168.2.${instances.indexOf(id) + 1}` }];
  return dynamicPool({ id: `web-${id}`, nodes }, { provider, storageDiskSize: 0 });
});
const { loadBalancers: _, ...state } = twoProviderState();
const target = { ...state, pools: [...pools], loadBalancers: [] };
const workspaces = instances.map((id) => ({ kind: 'machines' as const, name: `acme-${id}`, destroy: false }));

async function stage() {
  await world.put(
    aDocument([{ stage: 'infrastructure', reasons: ['new'], work: { workspaces } }], { before: target, target }),
  );
  return world.run('infrastructure');
}
const note = (name: string) => readFileSync(join(world.directory, name), 'utf8');

describe('a type from elsewhere in a stage', () => {
  it('two instances of one type run at once, each with its own Secret and with the same files', async () => {
    for (const id of instances) await world.ports.secrets.put(`user/team/${id}`, { token: `planted-token-${id}` });
    expect((await stage()).error).toBeUndefined();
    for (const id of instances) {
      expect(note(`machines-acme-${id}.env`)).toContain(`TF_VAR_secret_token=planted-token-${id}`);
      expect(note(`machines-acme-${id}.modules`)).toMatch(/^modules-[0-9a-f]{8}\/$/m);
      expect(note(`machines-acme-${id}.json`)).not.toContain('planted-token');
    }
    expect(await world.log('infrastructure')).not.toContain('planted-token');
    const kept = pluginKeys.kept({ namespace: 'team', manifest: 'shop' }, checksumOfCopy(copy));
    expect(await world.ports.artifacts.getText(kept)).toBe(copy);
  });

  it('a Secret that its schema refuses ends the stage before Terraform starts, without its values', async () => {
    for (const id of instances) await world.ports.secrets.put(`user/team/${id}`, { token: 'short' });
    const { error } = await stage();
    expect(error).toMatchObject({ class: 'credentials', code: 'SecretFieldsFaulty' });
    expect(error?.message).toMatch(/token does not fit/);
    expect(JSON.stringify(error)).not.toContain('short');
    expect(existsSync(join(world.directory, 'machines-acme-aaaaaaa.env'))).toBe(false);
  });
});

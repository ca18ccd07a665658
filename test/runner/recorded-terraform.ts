/** A Terraform that prints what was recorded, and the world it works in. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type StageWorld, stageWorld } from './stage-world.ts';

/**
 * Notes its calls, prints `<command>.out` and `.err` of the recordings, then the summary that Terraform ends a plan and an apply with (not after `%`), ends with `<command>.code`; recordings named
 * `<workspace>.<command>.…` count for that workspace alone. Plans after the first print `next-plan.out` and `last-plan.out`, if there are such.
 */
const fakeTerraform = `#!/bin/bash
recordings=\${KUBELOOM_TEST_RECORDINGS:?}
echo "$(basename "$PWD"): $*" >> "$recordings/calls"
[ "$1" = plan ] && [ -e "$recordings/planned.json" ] && for next in next-plan last-plan; do
  [ -e "$recordings/$next.out" ] && mv "$recordings/$next.out" "$recordings/plan.out" && break; done
[ "$1" = plan ] && cp main.tf.json "$recordings/planned.json"
[ "$1" = init ] && cp main.tf.json "$recordings/$(basename "$PWD").json" && env > "$recordings/environment"
[ "$1" = apply ] && [ -e "$recordings/hang" ] && { trap '[ -e "$recordings/slow-end" ] && sleep 0.5; echo interrupted >> "$recordings/calls"; exit 1' INT
  head -n 1 "$recordings/apply.out"; while :; do sleep 0.02; done; }
named() { if [ -e "$recordings/$(basename "$PWD").$1" ]; then echo "$recordings/$(basename "$PWD").$1"; else echo "$recordings/$1"; fi; }
cat "$(named "$1.out")" 2>/dev/null
code="$(cat "$(named "$1.code")" 2>/dev/null || echo 0)"
case "$1 $code" in 'plan 0'|'plan 2'|'apply 0') grep -qsE '"change_summary"|^%' "$(named "$1.out")" || printf '\\n%s\\n' '{"@message":"done","type":"change_summary","changes":{"add":0,"change":0,"remove":0,"operation":"'"$1"'"}}';; esac
cat "$(named "$1.err")" >&2 2>/dev/null
exit "$code"
`;

export const stateKey = 'terraform/team/shop/shop-1234567/machines-hz-prod.tfstate';
export const host = (node: string) => `module.pool_${node.slice(0, -3)}.hcloud_server.node["${node}"]`;
export const nodes = ['control-aaaaaaa-01', 'control-aaaaaaa-02', 'edge-ccccccc-01'];
export const json = (lines: readonly unknown[]) => lines.map((line) => JSON.stringify(line)).join('\n');

export let world: StageWorld;
export let recordings: string;
export const record = (name: string, text: string) => writeFileSync(join(recordings, name), text);
export const calls = () =>
  readFileSync(join(recordings, 'calls'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.replace(/^[^:]+: /, '').split(' ')[0]);

/** A world with a Terraform that makes three hosts, unless a test records something else. */
export async function openRecordings(): Promise<void> {
  world = stageWorld();
  recordings = join(world.directory, 'recordings');
  mkdirSync(join(world.templates, 'terraform', 'hetzner'), { recursive: true });
  mkdirSync(recordings);
  world.set('KUBELOOM_TEST_RECORDINGS', recordings);
  world.set('KUBELOOM_TERRAFORM', world.script('terraform', fakeTerraform));
  template('provider.json', {
    provider: {
      name: 'hcloud',
      source: 'hetznercloud/hcloud',
      version: '1.60.0',
      credentials: { token: 'credentials' },
    },
  });
  template('list.ts', `console.log('{"items":[]}');`);
  await world.ports.secrets.put('user/team/hetzner-token', { credentials: 'very-secret-token' });
  record('show.out', '{"format_version":"1.0"}');
  record('plan.code', '2');
  record(
    'plan.out',
    json([
      ...nodes.map((node) => ({
        '@message': 'plan',
        type: 'planned_change',
        change: { resource: { addr: host(node) }, action: 'create' },
      })),
      {
        '@message': 'Plan: 3 to add',
        type: 'change_summary',
        changes: { add: 3, change: 0, remove: 0, operation: 'plan' },
      },
    ]),
  );
  record(
    'apply.out',
    json(
      nodes.map((node) => ({
        '@message': `${node} created with very-secret-token`,
        type: 'apply_complete',
        hook: { resource: { addr: host(node) }, action: 'create', elapsed_seconds: 4 },
      })),
    ),
  );
  const output = { 'control-aaaaaaa': nodes.slice(0, 2), 'edge-ccccccc': nodes.slice(2) };
  const value = Object.fromEntries(
    Object.entries(output).map(([pool, names]) => [
      pool,
      Object.fromEntries(
        names.map((name, at) => [
          name,
          { public_address: `198.51.100.${at + 1}`, ssh_port: 22, wireguard_port: 51820 },
        ]),
      ),
    ]),
  );
  record('output.out', JSON.stringify({ nodes: { value, sensitive: false } }));
}

export function template(name: string, content: unknown): void {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  writeFileSync(join(world.templates, 'terraform', 'hetzner', name), text);
}

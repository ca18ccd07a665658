/** What the help of each command shows: command lines to begin with. A test gives each of them to the command line. */
import type { Command } from 'commander';
import { verbs } from './verbs.ts';

/** By the words of the command, without `kubeloom`; verbs have theirs in their rows. */
export const examples: Readonly<Record<string, readonly string[]>> = {
  apply: [
    '-f shop.yaml --wait',
    '-f secrets.yaml -f shop.yaml',
    '-f shop.yaml --plan 3f0c9d0e5a7b1c2d4e6f8091a2b3c4d5e6f70819',
  ],
  init: ['shop.yaml --provider hetzner', 'shop.yaml --provider hetzner,aws --name shop'],
  adopt: ['claudie.yaml --out moved', 'manifests.yaml outputs.yaml --out moved --json'],
  validate: ['-f shop.yaml', '-f shop.yaml --json'],
  plan: ['-f shop.yaml', 'shop -n team'],
  approve: [
    'shop --plan 3f0c9d0e5a7b1c2d4e6f8091a2b3c4d5e6f70819 --wait',
    'team/shop --plan 3f0c9d0e5a7b1c2d4e6f8091a2b3c4d5e6f70819 --yes',
  ],
  plans: ['', 'shop', 'team/shop --json'],
  simulate: ['examples/sim-minimal.yaml', 'a.yaml b.yaml --fail kubernetes:transient:2'],
  get: ['', 'shop -o yaml', 'groups'],
  describe: ['shop', 'team/shop --nodes', 'shop batch/small'],
  runs: ['shop', 'shop --limit 5'],
  history: ['shop', 'team/shop --json'],
  diff: ['shop', '-f shop.yaml'],
  events: ['shop -f', 'shop --run shop-ab12c-g1-a1'],
  logs: ['shop-ab12c-g1-a1 -f', 'shop-ab12c-g1-a1 --stage kubernetes'],
  ssh: ['shop web-ab12cd3-01', 'shop web-ab12cd3-01 -- systemctl status shop'],
  'ssh-key': ['web workers --ttl 1h', 'web --public-key ~/.ssh/id_ed25519.pub'],
  kubeconfig: ['web --ttl 1h --role view', 'web -o web.kubeconfig', 'web --merge'],
  ...Object.fromEntries(verbs.map((verb) => [verb.name, verb.examples])),
  scale: ['shop web=5', 'shop web=5 batch=0 --wait'],
  replace: ['shop web-1-ab12cd3-01', 'shop web-1-ab12cd3-01 --because "its disk is full" --wait'],
  delete: ['shop --wait', 'shop --orphan compute-1-ab12cd3-01'],
  console: ['', '--json'],
  upgrade: ['--check', '--check --aws', '--check --json'],
  whoami: ['', '--context prod'],
  'secrets list': ['', '-n team'],
  'secrets delete': ['aws-prod', 'aws-prod -n team'],
  'templates list': ['', '-n team'],
  'templates get': ['modules -n team > modules.yaml', 'team/modules --json'],
  'templates delete': ['modules', 'modules -n team'],
  'sources list': ['', '-n team'],
  'sources describe': ['clusters', 'clusters -n team --json'],
  'sources get': ['clusters -n team > clusters.yaml', 'team/clusters --json'],
  'sources sync': ['clusters', 'clusters -n team'],
  'sources delete': ['clusters', 'clusters -n team'],
  'roles list': ['', '--json'],
  'roles describe': ['operators', 'operators --json'],
  'roles get': ['operators > operators.yaml', 'operators --json'],
  'roles delete': ['operators', 'operators --json'],
  'planes list': ['', '-n team'],
  'planes describe': ['capi -n team', 'team/capi --json'],
  'planes get': ['capi -n team > plane.yaml', 'team/capi --json'],
  'planes delete': ['capi -n team', 'team/capi --yes'],
  'inventory list': ['', '-n fleet'],
  'inventory plan': ['-f prod.yaml -n fleet', '-n fleet', '-f inventory --detail'],
  'inventory apply': [
    'acme-fra1 -n fleet',
    '--all -n fleet',
    '-f prod.yaml --plan 3f0c9d0e5a7b1c2d4e6f8091a2b3c4d5e6f70819',
  ],
  'inventory get': ['layer prod -n fleet', 'template standard@3 --json'],
  'inventory delete': ['layer old -n fleet', 'cluster acme-fra1'],
  'rollout start': ['-n fleet --waves 1,10%,100% --soak 30m --wait', '-f prod.yaml --max-failed 3'],
  'rollout list': ['', '-n fleet'],
  'rollout describe': ['20261123-090500-ab12cd', '20261123-090500-ab12cd -n fleet --json'],
  'rollout pause': ['20261123-090500-ab12cd -n fleet', '20261123-090500-ab12cd --wait'],
  'rollout resume': ['20261123-090500-ab12cd -n fleet', '20261123-090500-ab12cd --wait'],
  'rollout undo': ['20261123-090500-ab12cd -n fleet', '20261123-090500-ab12cd --wait'],
  'rollout cancel': ['20261123-090500-ab12cd -n fleet', '20261123-090500-ab12cd --json'],
  explain: ['acme-fra1 kubernetes.version', 'shop spec.kubernetes -n team'],
  changes: ['', '-n team'],
  'context add': [
    'prod --url https://api.example.com --token-file ~/.kubeloom-token --use',
    'test --url http://127.0.0.1:7700 --token-command "pass kubeloom"',
  ],
  'context use': ['prod', 'local'],
  'context list': ['', '--json'],
  'context remove': ['prod'],
  'local up': ['', '--runner sim --port 7800'],
  'local down': [''],
  'local status': ['', '--json'],
  'local reset': ['--yes'],
  'local backup': ['backup.klb', 'backup.klb --passphrase-file passphrase'],
  'local restore': ['backup.klb', 'backup.klb --passphrase-file passphrase'],
  'local user add': ['ann', 'ann --group shop'],
  'local user list': ['', '--json'],
  'local user remove': ['ann', 'ann --json'],
  'provider list': ['', '--json'],
  'provider test': ['templates/terraform/hetzner', 'my-modules/acme --full'],
  'provider init': ['acme', 'providers/acme --json'],
  'provider check': ['aws-1 -f shop.yaml -f secrets.yaml', 'aws-1 --manifest shop'],
  doctor: ['', '--aws --region eu-central-1'],
  completion: ['bash > /etc/bash_completion.d/kubeloom', 'zsh > ~/.zfunc/_kubeloom'],
  version: ['', '--check'],
  schema: ['> kubeloom.schema.json'],
};

/** Adds them to the help of every command. */
export function addExamples(program: Command, words: readonly string[] = []): void {
  for (const command of program.commands) {
    const path = [...words, command.name()];
    const lines = examples[path.join(' ')]?.map((rest) => `  kubeloom ${path.join(' ')} ${rest}`.trimEnd()) ?? [];
    if (lines.length > 0) command.addHelpText('after', ['', 'Examples:', ...lines].join('\n'));
    addExamples(command, path);
  }
}

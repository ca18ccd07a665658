/** Commands that the console shows: each is one of the command line, as a shell reads it, whatever is in a name. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { kubeloomProgram } from '#cli/program.ts';
import { auditKinds } from '../../console/model/audit.ts';
import { commands, inContext } from '../../console/model/commands.ts';
import { parseWords } from '../cli/parse-words.ts';

const id = '3f0c9d0e5a7b1c2d4e6f8091a2b3c4d5e6f70819';
const noFilter = { minutes: '60', namespace: '', kind: '' };
const noChoice = { search: '', state: '', namespace: '', provider: '', sort: '' };

/** Each of them, about things of these names; a stage, a verb and a number are words of Kubeloom. */
function allCommands(namespace: string, name: string): Readonly<Record<keyof typeof commands, readonly string[]>> {
  const key = { namespace, name };
  const { log, events, startRollOut } = commands;
  const everything = [noFilter, { minutes: '15', namespace, kind: 'StageFailed,RunFailed' }];
  return {
    console: [commands.console()],
    fleet: [
      commands.fleet(noChoice),
      commands.fleet({ search: name, state: 'drifted,paused', namespace, provider: 'aws-1', sort: 'nodes' }),
    ],
    describe: [commands.describe(key)],
    nodes: [commands.nodes(key)],
    history: [commands.history(key)],
    diff: [commands.diff(key, 1, 2)],
    events: [events(key), events(key, '15')],
    allEvents: everything.map(commands.allEvents),
    log: [log(name, namespace), log(name, namespace, 'nodes', name)],
    plan: [commands.plan(key)],
    planOfFile: [commands.planOfFile()],
    store: [commands.store('secret.yaml')],
    apply: [commands.apply(id)],
    approve: [commands.approve(key, id)],
    retry: [commands.retry(key)],
    cancel: [commands.cancel(key)],
    pause: [commands.pause(key)],
    resume: [commands.resume(key)],
    drift: [commands.drift(key)],
    repair: [commands.repair(key)],
    rollback: [commands.rollback(key), commands.rollback(key, '2')],
    remove: [commands.remove(key)],
    checkProvider: [commands.checkProvider({ ...key, provider: name })],
    secrets: [commands.secrets()],
    template: [commands.template(key)],
    sources: [commands.sources()],
    source: [commands.source(key)],
    syncSource: [commands.syncSource(key)],
    whoami: [commands.whoami()],
    roles: [commands.roles()],
    audit: [commands.audit('7', auditKinds)],
    inventory: [commands.inventory(namespace)],
    explain: [commands.explain(key)],
    inventoryDocument: [commands.inventoryDocument(namespace, 'InventoryLayer', name)],
    applyInventory: [commands.applyInventory(namespace, name)],
    planInventory: [commands.planInventory(namespace)],
    planInventoryFile: [commands.planInventoryFile(namespace)],
    rollOuts: [commands.rollOuts(namespace)],
    rollOut: [commands.rollOut(namespace, name)],
    rollOutVerb: [commands.rollOutVerb('pause', namespace, name)],
    approveRollOut: [commands.approveRollOut(namespace, id)],
    startRollOut: [
      startRollOut(namespace, id, { file: true }),
      startRollOut(namespace, id, { file: false, waves: '1,10%,100%', soak: '30m', maxFailed: '2' }),
    ],
    ssh: [commands.ssh(key, name, name)],
    peers: [commands.peers(key, name, name)],
  };
}

/** As `sh` takes it apart; `kubeloom` is not started. */
function wordsOf(line: string): readonly string[] {
  const script = `kubeloom() { printf '%s\\0' "$@"; }\n${line}`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8', env: {} }).split('\0').slice(0, -1);
}

const names = {
  'of the namespace default': ['default', 'shop'],
  'of another namespace': ['team', 'shop-2.eu'],
  'whose names are what someone planted in an address': ["a; exit 3 #'", "$(exit 4)' `exit 5` \n & x"],
} as const;

describe.each(Object.entries(names))('things %s', (_, [namespace, name]) => {
  const lines = Object.entries(allCommands(namespace, name)).flatMap(([verb, all]) => all.map((one) => [verb, one]));

  it.each(lines)('%s is a command of the command line: %s', async (_verb, line = '') => {
    const words = wordsOf(line);
    expect((await kubeloomProgram()).commands.map((one) => one.name())).toContain(words[0]);
    await expect(parseWords(words)).resolves.toBeUndefined();
    // Nothing of a name became a word of its own.
    const others = words.filter((word) => !word.includes(namespace) && !word.includes(name));
    expect(others.join(' ')).not.toMatch(/exit|[;&`$]/);
  });
});

it('a command names the context of its console as the first thing, and other text stays unchanged', async () => {
  const line = commands.retry({ namespace: 'team', name: 'shop' });
  expect(wordsOf(inContext(line, 'prod'))).toEqual(['--context', 'prod', ...wordsOf(line)]);
  expect((await kubeloomProgram()).options.map(({ long }) => long)).toContain('--context');
  expect([inContext(line), inContext('as command', 'prod')]).toEqual([line, 'as command']);
});

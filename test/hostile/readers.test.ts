/** The list of readers against the code, and their schemas against open texts. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { GitRef } from '#adapters/git-references.ts';
import { AgentHealth } from '#contracts/agent.ts';
import { ServingRequests } from '#domain/certificates/serving-requests.ts';
import { SignedRequest } from '#runner/access/issue-certificate.ts';
import { ObjectRow } from '#runner/documents/components-in-use.ts';
import { AnsweredObjects, LiveObject } from '#runner/documents/live-objects.ts';
import { PersistentVolumes } from '#runner/documents/storage-in-use.ts';
import { ServerVersion } from '#runner/kubeone/interrupted-upgrade.ts';
import { DisruptionBudgets } from '#runner/kubernetes/disruption-budgets.ts';
import { EtcdMembers } from '#runner/kubernetes/etcd-member.ts';
import { ListedNode } from '#runner/kubernetes/kubectl.ts';
import { LonghornReplicas } from '#runner/kubernetes/stop-replicas.ts';
import { HookAnswer } from '#runner/terraform/templates/provider-files.ts';
import { VaultErrors } from '#runner/vault/vault-failure.ts';
import { VaultLoginAnswer, VaultMount, VaultVersionOne, VaultVersionTwo } from '#runner/vault/vault-session.ts';
import { openTexts } from '#test/observed/open-texts.ts';
import { ReportedNodes } from '../../agent/node-agent.ts';
import { SecretNames } from '../../operator/objects.ts';
import { liedTo, ownWords } from './readers.ts';

const root = join(import.meta.dirname, '../..');
const rooms = ['runner-images/runner', 'operator', 'agent', 'functions/adapters'];
const files = rooms.flatMap((room) =>
  readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${room}/${file}`),
);
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');

/** What code looks like that takes something out of a text that came from elsewhere. */
const reads =
  /\b(?:JSON\.parse|parseJson|parseShallowJson|readXml|readToolJson|readToolValue|shaped|parseDocuments|readMachineReport|readMachineFacts|readPlaybookLine|readMessage|objectsOf|openServingRequests)\(|\b(?!Date\b|URL\b|posix\b)\w+\.(?:safeP|p)arse\(|\bparse\((?:text|await)|std(?:out|err)\.(?:split|trim\(\)\.split|match|matchAll|includes)\(|\(stdout\)|\.exec\((?:line|text|answer|stdout|stderr)\b|\.test\((?:stdout|stderr|result)\b/;

describe('readers', () => {
  it('every place that reads what comes back has a row that lies to it, or a reason', () => {
    const found = files.filter((file) => reads.test(textOf(file)));
    const listed = [...Object.keys(liedTo), ...Object.keys(ownWords)];
    expect(found.filter((file) => !listed.includes(file))).toEqual([]);
    // A file that a row lies to may read by the readers of another one.
    expect(listed.filter((file) => !files.includes(file) && !existsSync(join(root, file)))).toEqual([]);
    expect(Object.keys(ownWords).filter((file) => !found.includes(file) || file in liedTo)).toEqual([]);
  });

  it('every test that lies exists', () => {
    expect([...new Set(Object.values(liedTo))].filter((test) => !existsSync(join(root, test)))).toEqual([]);
  });

  it('no reader has an open text: a pattern, an enum, or words that are cut and escaped take its place', () => {
    const open = /\bz\s*\.(?:string|unknown|any|looseObject|custom)\(/g;
    const found = files
      .filter((file) => !(file in ownWords))
      .map((file) => ({ file, count: [...textOf(file).matchAll(open)].length }));
    expect(found.filter(({ file, count }) => count > (openForAReason[file] ?? 0))).toEqual([]);
  });

  it.each(
    Object.entries({
      AgentHealth,
      DisruptionBudgets,
      EtcdMembers,
      GitRef,
      HookAnswer,
      ListedNode,
      AnsweredObjects,
      LiveObject,
      LonghornReplicas,
      ObjectRow: ObjectRow as z.ZodType,
      PersistentVolumes,
      ReportedNodes,
      SecretNames,
      ServerVersion,
      ServingRequests,
      SignedRequest,
      VaultErrors,
      VaultLoginAnswer,
      VaultMount,
      VaultVersionOne,
      VaultVersionTwo,
    }),
  )('%s has no open text, wherever it is defined', (_, schema) => {
    expect(openTexts(schema)).toEqual([]);
  });
});

/** So many open texts a file may have at most, each with what makes them harmless. */
const openForAReason: Readonly<Record<string, number>> = {
  // The rest of an object goes back to the server that it is from, and its spec is judged as any document of a user.
  'operator/objects.ts': 5,
  'agent/node-agent.ts': 2,
  // What the operator itself wrote, and reads again from a status that others may have changed: shown by kubectl only.
  'operator/object-status.ts': 16,
  // What Kubeloom stored itself.
  'functions/adapters/large-documents.ts': 3,
  'runner-images/runner/terraform/cli/messages.ts': 2,
  // Outputs, each of which its own reader judges.
  'runner-images/runner/terraform/cli/terraform-cli.ts': 1,
};

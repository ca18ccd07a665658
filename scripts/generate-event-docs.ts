/** Writes docs/events.md out of functions/domain/event-kinds.ts and tool-event-kinds.ts. */
import type { EventKindRow } from '#domain/event-kind-row.ts';
import { eventKinds } from '#domain/event-kinds.ts';
import { settle } from './generated.ts';

const introductions = {
  manifest: 'They are about a manifest and its runs, and name no cluster.',
  rollOut: 'They belong to the namespace, like changes that are of no manifest (`kubeloom changes`), and name no run.',
  cluster: 'They have the field `cluster`.',
  stage:
    'How a stage starts and ends. They have `cluster`, `stage`, `waypoint` and `attempt`; `node` if the failure is of one.',
  tool: 'What a tool does within a stage. They have `cluster` and `stage`; those of stages of a waypoint also `waypoint` and `attempt`.',
} as const satisfies Record<keyof typeof eventKinds, string>;

const sections = Object.entries(introductions).flatMap(([subject, introduction]) => [
  `## Events of a ${subject === 'rollOut' ? 'roll-out' : subject}`,
  introduction,
  tableOf(eventKinds[subject as keyof typeof eventKinds]),
]);

function tableOf(rows: Readonly<Record<string, EventKindRow>>): string {
  const lines = Object.entries(rows).map(([kind, { level, or = [], node = '', when, fault = '' }]) =>
    ['', ` \`${kind}\` `, ` ${[level, ...or].join(', ')} `, ` ${node} `, ` ${when} `, ` ${fault} `, ''].join('|'),
  );
  return ['| kind | level | `node` | when | fault of |', '|---|---|---|---|---|', ...lines].join('\n');
}

const page = [
  '# Events',
  `What \`kubeloom events\`, \`GET …/events\` and \`--wait\` show. Each has \`at\`, \`runId\`, \`level\`, \`kind\` and a \`message\` for people; those
of a stage that ended also have its \`seconds\`, \`counts\` of what it did and \`phases\`, the seconds of each phase of its build as CodeBuild
counts them. Match on \`kind\`, since messages change; another
version may have other kinds. A fault \`outside\` is a change that Kubeloom did not make. Classes of failures, and what to do:
[troubleshooting.md](troubleshooting.md).`,
  `## Events of one manifest that is watched
\`GET …/live\` answers with the manifest as it is now and the events after \`since\`, the \`next\` of an earlier answer. With \`If-None-Match\` the
answer is an empty 304 while nothing changed: for pages that ask every second. All answers are compressed for clients that send
\`Accept-Encoding: gzip\`.

## Events of all manifests
\`GET /v1/events?since=&namespace=&manifest=&group=&node=&kind=\` and \`kubeloom events\` without a name show the events of all manifests that the
caller may see (\`viewer\` of their namespaces; changes of roles: admins of all namespaces), with \`id\`, \`namespace\` and \`manifest\`. Changes of Secrets and
templates name no manifest. Their order is that in which they were stored, and it never changes: a reader that continues with \`next\` misses none
and gets none twice, even if machines report late. \`more: false\` means that there are no more events yet. \`since\` is a time, or the \`id\` of an event to continue
after. \`group\` is a node pool, or a machine group with those below it.

In AWS they appear a second or two after they were stored: a function that reads the stream of the table (\`publish-events\`) gives them their place and puts
each on the EventBridge bus that has the name of the installation, with \`source\` \`kubeloom\`, the kind as \`detail-type\`, and the event as \`detail\`.
Rules on the bus are yours. It delivers at least once: an \`id\` that was seen is the same event. On one machine the bus is a file, \`events.jsonl\`
in the directory of the platform, with a line for each event as a rule would deliver it; \`tail -F\` follows it, and at 10 MB it becomes \`events.jsonl.1\`.

Events are kept for 90 days from when they happened, those of deleted manifests, too; copy them from the bus to keep them longer. While nothing happens nothing runs and nothing
is read. What cannot be published for a day is in a queue with an alarm (\`lost-events\`).`,
  ...sections,
];

settle('docs/events.md', `${page.join('\n\n')}\n`);

/** Writes docs/events.md out of functions/domain/event-kinds.ts. */
import { type EventKindRow, eventKinds } from '#domain/event-kinds.ts';
import { settle } from './generated.ts';

const introductions = {
  manifest: 'Of a manifest and its runs. They name no cluster.',
  rollOut: 'Of the namespace, with the changes that belong to no manifest (`kubeloom changes`). They name no run.',
  cluster: 'They have the field `cluster`.',
  stage: 'How a stage ended. They have `cluster` and `stage`; `node` if the failure is of one.',
  tool: 'What a tool does within a stage. They have `cluster` and `stage`.',
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
  `What \`kubeloom events\`, \`GET …/events\` and \`--wait\` show. Each has \`at\`, \`runId\`, \`level\`, \`kind\` and a \`message\` for people. Match on
\`kind\`, since messages change; another version may have other kinds. A fault \`outside\` is a change that Kubeloom did not make. Classes
of failures, and what to do: [troubleshooting.md](troubleshooting.md).`,
  ...sections,
];

settle('docs/events.md', `${page.join('\n\n')}\n`);

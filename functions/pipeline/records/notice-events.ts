/** Events about what clouds announced, as agents of clusters report it. */
import type { AgentReport } from '#contracts/agent.ts';
import { noticeMeaning } from '#domain/node-notice.ts';
import type { ClusterEvent } from './cluster-records.ts';

/** About nodes whose notice is new, or has another kind than before; one that is over is reported, too. */
export function noticeEvents(before: AgentReport | undefined, { unwell }: AgentReport): readonly ClusterEvent[] {
  const kindsIn = (report: Pick<AgentReport, 'unwell'> | undefined) =>
    new Map((report?.unwell ?? []).flatMap(({ node, notice }) => (notice ? [[node, notice.kind] as const] : [])));
  const [known, found] = [kindsIn(before), kindsIn({ unwell })];
  const event = (node: string, message: string): ClusterEvent => ({ kind: 'NoticeReceived', node, message });
  return [
    ...[...found].flatMap(([node, kind]) =>
      known.get(node) === kind ? [] : [event(node, `${node}: ${noticeMeaning[kind].words}`)],
    ),
    ...[...known.keys()].flatMap((node) =>
      found.has(node) ? [] : [event(node, `${node}: the notice of its cloud is over`)],
    ),
  ];
}

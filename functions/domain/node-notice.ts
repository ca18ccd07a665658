/** What a cloud announces about one of its machines, what that means for the node, and the taint that marks it. */
import { z } from 'zod';

/**
 * The gravest first. `ends`: the machine is deleted or stopped soon. `returns`: it restarts, maybe on another host. `atRisk`: a spot machine
 * may be reclaimed soon. `pauses`: it stops for seconds and keeps its memory.
 */
const noticeKinds = ['ends', 'returns', 'atRisk', 'pauses'] as const;
export const NoticeKind = z.enum(noticeKinds);
export type NoticeKind = z.infer<typeof NoticeKind>;

export const Notice = z.strictObject({
  kind: NoticeKind,
  /** When the cloud acts, at the soonest. Absent: at once, or the cloud does not say. */
  by: z.iso.datetime().optional(),
});
export type Notice = z.infer<typeof Notice>;

/** What a pod says about its node: that there is no notice any more, too. */
export const SaidNotice = z.union([Notice, z.strictObject({ kind: z.literal('none') })]);
export type SaidNotice = z.infer<typeof SaidNotice>;

/** `drain`: its pods leave before the cloud acts. `replace`: the machine is lost, and another one takes its place. */
export const noticeMeaning = {
  ends: { drain: true, replace: true, words: 'its cloud ends its machine' },
  returns: { drain: true, replace: false, words: 'its cloud restarts its machine' },
  atRisk: { drain: false, replace: true, words: 'its cloud may soon take its spot machine back' },
  pauses: { drain: false, replace: false, words: 'its cloud pauses its machine for some seconds' },
} as const satisfies Record<NoticeKind, { readonly drain: boolean; readonly replace: boolean; readonly words: string }>;

/** Types of providers whose machines have a metadata service that announces such things. */
export const noticeClouds = ['aws', 'azure', 'gcp'] as const;

/** Key of the taint (`NoSchedule`) of a node with a notice; its value is the kind. A kubelet may not set it. */
export const noticeTaint = 'kubeloom.dev/notice';

/** The gravest; of several, the one that comes first. */
export function gravest(notices: readonly Notice[]): Notice | undefined {
  const place = ({ kind, by = '' }: Notice): string => `${noticeKinds.indexOf(kind)} ${by}`;
  return notices.toSorted((a, b) => (place(a) < place(b) ? -1 : 1))[0];
}

/** The notice of a node, as its taint has it. */
export const NodeNotice = z.strictObject({
  kind: NoticeKind,
  /** When the agent set it. Absent: a person did. */
  since: z.iso.datetime().optional(),
});
export type NodeNotice = z.infer<typeof NodeNotice>;

/** The notice that the taints of a node say; a taint of another value is not ours. */
export function noticeIn(
  taints: readonly {
    readonly key: string;
    readonly value?: string | undefined;
    readonly timeAdded?: string | undefined;
  }[],
): NodeNotice | undefined {
  const taint = taints.find(({ key }) => key === noticeTaint);
  const { data: kind } = NoticeKind.safeParse(taint?.value);
  return kind && { kind, ...(taint?.timeAdded !== undefined && { since: taint.timeAdded }) };
}

/** True when the machine is lost, and another one has to take its place. */
export function losesMachine(notice: Pick<NodeNotice, 'kind'> | undefined): boolean {
  return notice !== undefined && noticeMeaning[notice.kind].replace;
}

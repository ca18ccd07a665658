/** Shapes of the drawing of a cluster, and what all of them share. Its unit is a pixel, when it is drawn as large as its text. */
import type { ClusterDescription, NodeRow } from '#contracts/api-bodies.ts';

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
interface DrawnNode extends Box {
  readonly node: NodeRow;
}
export interface DrawnPool extends Box {
  readonly id: string;
  readonly pool: string;
  readonly role: NodeRow['role'];
  /** As `compute · 4 of 4 ready · small`. */
  readonly detail: string;
  /** Each node, or, where there are too many, each that is not ready. */
  readonly nodes: readonly DrawnNode[];
  /** Those that are ready, where they are not drawn each. */
  readonly block: (Box & { readonly ready: number }) | undefined;
  /** Those for which there is no room. */
  readonly more: { readonly y: number; readonly text: string } | undefined;
  readonly served: readonly ServedBy[];
}
/** A load balancer that leads to a pool. */
export interface ServedBy {
  readonly balancer: string;
  /** Names of its roles that do. */
  readonly roles: readonly string[];
  /** With their ports. */
  readonly text: string;
  /** The middle of that text. */
  readonly y: number;
}
export interface DrawnRegion extends Box {
  readonly title: string;
  readonly pools: readonly DrawnPool[];
}
export interface DrawnCloud extends Box {
  readonly name: string;
  /** Empty where it is not known, or the same. */
  readonly type: string;
  readonly regions: readonly DrawnRegion[];
}
export interface DrawnBalancer extends Box {
  readonly name: string;
  readonly endpoint: string;
  readonly roles: readonly string[];
}
export type Point = readonly [x: number, y: number];
/** Its corners, between which it is level or upright. */
export type Corners = readonly Point[];

export const pad = 12;

export const rightOf = ({ x, width }: Box): number => x + width;
export const bottomOf = ({ y, height }: Box): number => y + height;

/** About, of text of the usual size. */
export const textWidth = (text: string): number => text.length * 7.4;

type Role = ClusterDescription['loadBalancers'][number]['roles'][number];

/** As `web 443/tcp → 30443`. */
export const portsText = ({ name, port, protocol, targetPort }: Role): string =>
  `${name} ${port}/${protocol} → ${targetPort}`;

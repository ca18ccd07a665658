/** Texts of Kubernetes as clusters report them: names, labels, quantities, times. A cluster may be hostile: its control nodes are. */
import { z } from 'zod';
import { closedText } from './closed-texts.ts';

/** A name by RFC 1123, as nodes, pods and most objects have: never a flag of kubectl, never a path. */
export const KubernetesName = closedText(253, /^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/);

/** Names of roles and bindings may have more letters, and are one segment of a path all the same. */
export const ObjectPathName = closedText(253, /^[A-Za-z0-9][\w.:@-]*$/);

/** `v1`, `apps/v1` */
export const ApiVersion = closedText(320, /^[a-z0-9][-a-z0-9./]*$/);

export const ObjectKind = closedText(63, /^[A-Z][A-Za-z0-9]*$/);

/** Key of a label, an annotation or a taint: `kubeloom.dev/documents`, `role`. */
export const QualifiedName = closedText(317, /^(?:[a-z0-9][-a-z0-9.]*\/)?[A-Za-z0-9][-\w.]*$/);

/** Value of a label or a taint. */
export const ObservedLabelValue = closedText(63, /^(?:[A-Za-z0-9][-\w.]*)?$/);

export const ObservedLabels = z.record(QualifiedName, ObservedLabelValue);

/** Anything: it is only compared with what we set, or goes back to where it is from. It is never shown and never becomes an argument. */
export const comparedText = (limit: number) => closedText(limit, /^/);

/** Values may be anything, and all together have 256 KB at most. */
export const ObservedAnnotations = z.record(QualifiedName, comparedText(262_144));

/** It has no meaning to anyone but the server that made it. */
export const ResourceVersion = closedText(64, /^(?:[A-Za-z0-9][\w.-]*)?$/);

export const ObjectUid = closedText(64, /^[A-Za-z0-9][\w-]*$/);

/** `16Gi`, `3920m`, `110`, `1e3` */
const Quantity = closedText(50, /^[-+]?[\d.]+(?:[eE][-+]?\d+|[numkMGTPE]i?|Ki)?$/);

/** A quantity by resource: `cpu`, `memory`, `nvidia.com/gpu`. */
export const Quantities = z.record(QualifiedName, Quantity);

/** In UTC; most have no milliseconds. */
export const KubernetesTime = z.iso.datetime();

/** `v1.34.2`, `v1.34.2-gke.1` */
export const KubernetesRelease = closedText(64, /^v\d+\.\d+\.\d{1,9}[\w.+-]*$/);

/** Type of a condition: `Ready`, `example.com/Healthy`. */
export const ObservedConditionType = closedText(317, /^[A-Za-z0-9][\w./-]*$/);

export const ConditionStatus = z.enum(['True', 'False', 'Unknown']);

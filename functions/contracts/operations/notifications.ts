/** Operations on Notifications: where events are reported. */
import { NamespaceQuery } from '../http-parameters.ts';
import * as notifications from '../notifications.ts';
import {
  bodyLimits,
  document,
  ifChanged,
  type Operations,
  ok,
  okIfChanged,
  operator,
  viewer,
  viewerAnywhere,
} from './operation.ts';

const ofNotification = {
  tag: 'notifications',
  path: '/v1/notifications/{namespace}/{name}',
  params: notifications.NotificationPath,
} as const;

export const notificationOperations = {
  listNotifications: {
    tag: 'notifications',
    path: '/v1/notifications',
    method: 'GET',
    access: viewerAnywhere,
    summary: 'List Notifications and whether their messages are accepted',
    query: NamespaceQuery,
    headers: ifChanged,
    answers: okIfChanged('Notifications', notifications.NotificationList),
    problems: [400],
  },
  putNotification: {
    ...ofNotification,
    method: 'PUT',
    access: operator,
    summary: 'Store a Notification. Events from now on are sent, as far as the caller may see them',
    body: { ...document('a Notification'), maxBytes: bodyLimits.document },
    answers: ok('stored', notifications.NotificationSummary),
    problems: [400, 409, 413, 422],
  },
  getNotification: {
    ...ofNotification,
    method: 'GET',
    access: viewer,
    summary: 'Get a Notification with the state of its delivery',
    answers: ok('document and status', notifications.NotificationDescription),
    problems: [400, 404],
  },
  deleteNotification: {
    ...ofNotification,
    method: 'DELETE',
    access: operator,
    summary: 'Delete a Notification; nothing more is sent',
    answers: { 204: { description: 'gone' } },
    problems: [400, 404],
  },
  testNotification: {
    ...ofNotification,
    path: '/v1/notifications/{namespace}/{name}/test',
    method: 'POST',
    access: operator,
    summary: 'Have a test message sent; the status says whether it was accepted',
    answers: ok('it will be sent', notifications.NotificationSummary),
    problems: [400, 404, 409],
  },
} as const satisfies Operations;

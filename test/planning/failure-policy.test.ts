import { describe, expect, test } from 'vitest';
import { errorClasses } from '#domain/errors.ts';
import { assessStageFailure, assessWaypointFailure, longestPauseSeconds } from '#domain/failure-policy.ts';
import { directions, stageNames } from '#domain/plan.ts';

const config = {
  KUBELOOM_STAGE_RETRY_SECONDS: 10,
  KUBELOOM_MAX_STAGE_ATTEMPTS: 3,
  KUBELOOM_BACK_OFF_SECONDS: 30,
  KUBELOOM_MAX_BACK_OFFS: 2,
};

describe('failed stages', () => {
  test('a failed stage is retried in place after growing pauses, a bounded number of times', () => {
    const answers = [1, 2, 3].map((attempt) =>
      assessStageFailure({ class: 'transient', retryable: true, attempt, config }),
    );
    expect(answers).toEqual([
      { outcome: 'retry', pauseSeconds: 10 },
      { outcome: 'retry', pauseSeconds: 20 },
      { outcome: 'failed', pauseSeconds: 0 },
    ]);
  });

  test('a failed stage is not retried when its tool says that a retry would not help', () => {
    const answer = assessStageFailure({ class: 'transient', retryable: false, attempt: 1, config });
    expect(answer.outcome).toBe('failed');
  });

  test.each(errorClasses)(
    'a failed stage of class %s is retried only if the fault can pass without a change',
    (name) => {
      const { outcome } = assessStageFailure({ class: name, retryable: true, attempt: 1, config });
      expect(outcome).toBe(['transient', 'conflict'].includes(name) ? 'retry' : 'failed');
    },
  );

  test('a failed stage never waits for longer than the longest pause', () => {
    const patient = { ...config, KUBELOOM_STAGE_RETRY_SECONDS: 600, KUBELOOM_MAX_STAGE_ATTEMPTS: 9 };
    const answer = assessStageFailure({ class: 'transient', retryable: true, attempt: 8, config: patient });
    expect(answer.pauseSeconds).toBe(longestPauseSeconds);
  });
});

describe('failed waypoints', () => {
  const assess = (direction: (typeof directions)[number], name: (typeof errorClasses)[number], backOffs = 0) =>
    assessWaypointFailure({ direction, class: name, backOffs, failedStage: 'nodes', config });

  test.each(errorClasses)('a grow in which a tool failed is rolled back, for class %s', (name) => {
    const others = { platform: 'backOff', stuck: 'stop' };
    expect(assess('grow', name).decision).toBe(name in others ? others[name as keyof typeof others] : 'rollBack');
  });

  test('a grow is never rolled back for a slow service: it stops when its pauses are used up', () => {
    expect(assess('grow', 'platform', 2).decision).toBe('stop');
  });

  test.each(errorClasses)('a forward-only waypoint is never rolled back, for class %s', (name) => {
    const decisions = directions
      .filter((direction) => direction !== 'grow' && direction !== 'edit')
      .map((direction) => assess(direction, name).decision);
    const expected = ['transient', 'capacity', 'conflict', 'platform'].includes(name) ? 'backOff' : 'stop';
    expect(new Set(decisions)).toEqual(new Set([expected]));
  });

  test.each(errorClasses)('an edit of a Terraform state stops, for class %s: a person waits for it', (name) => {
    expect(assess('edit', name).decision).toBe('stop');
  });

  test('a failed waypoint backs off with growing pauses and stops when they are used up', () => {
    const answers = [0, 1, 2].map((backOffs) => assess('shrink', 'transient', backOffs));
    expect(answers.map(({ decision, pauseSeconds }) => [decision, pauseSeconds])).toEqual([
      ['backOff', 30],
      ['backOff', 60],
      ['stop', 0],
    ]);
    expect(answers[2]?.outcome).toEqual({ kind: 'stops', direction: 'shrink', tries: 3 });
  });

  test('a rollback enters the ladder at the rung of the stage that failed', () => {
    const rungs = stageNames.map(
      (failedStage) =>
        assessWaypointFailure({ direction: 'grow', class: 'user', backOffs: 0, failedStage, config }).rung,
    );
    expect(rungs).toEqual(['infrastructure', 'configuration', 'kubernetes', 'kubernetes', 'kubernetes']);
  });
});

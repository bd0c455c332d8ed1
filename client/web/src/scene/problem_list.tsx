// SPDX-License-Identifier: Apache-2.0
import type { PlacedProblem } from "./scene_draft";

export function ProblemList({ problems, onChoose }: {
  readonly problems: readonly PlacedProblem[];
  readonly onChoose: (problem: PlacedProblem) => void;
}) {
  return (
    <ul class="problems">
      {problems.map((problem, i) => (
        <li key={i}>
          <button type="button" class={problem.isError ? "problem error" : "problem warning"} onClick={() => onChoose(problem)}>
            {problem.field !== "" && <code>{problem.field}</code>}
            <span>{problem.message}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

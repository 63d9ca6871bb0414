import type { PermissionRequest } from '../model/events';
import { visible } from '../safe/marks';

/** What belongs to an answer beside yes and no. */
export interface Details {
  input?: Record<string, unknown>;
  always?: number[];
  answers?: Record<string, string>;
}

/** A question that an agent asks, as far as it has the form of one. */
export interface Question {
  question: string;
  options: { label: string; description: string }[];
  multiple: boolean;
}

/** An input as JSON to be edited: what a screen would not show stands there as an escape. */
export function editable(input: unknown): string {
  const text = JSON.stringify(input ?? {}, null, 2);
  return [...text]
    .map((sign) => (sign === '\n' || visible(sign) === sign ? sign : escaped(sign)))
    .join('');
}

function escaped(sign: string): string {
  const units = Array.from({ length: sign.length }, (_, place) => sign.charCodeAt(place));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** The questions of a request; none if it is no question. */
export function questionsOf(request: PermissionRequest): Question[] {
  const input = request.input as { questions?: unknown } | null;
  if (request.tool !== 'AskUserQuestion' || !Array.isArray(input?.questions)) return [];
  return input.questions.filter(isRecord).map((each) => ({
    question: String(each.question ?? ''),
    options: (Array.isArray(each.options) ? each.options : []).filter(isRecord).map((option) => ({
      label: String(option.label ?? ''),
      description: String(option.description ?? ''),
    })),
    multiple: each.multiSelect === true,
  }));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

// Edits of a Responses body that keeps its dialect. Every other byte stays.
import { Edits } from "../../bytes/json/edit";
import { Tape } from "../../bytes/json/tape";
import { Span } from "../../bytes/text/bytes";

export function addInstructions(_tape: Tape, _prompt: Span, _edits: Edits): void {}

export function removeForeignReasoning(_tape: Tape, _edits: Edits): void {}

// Guides of conversation intelligence: topics, playbooks, summary templates and scorecards.

export type GuideKind = 'topic' | 'playbook' | 'summary_template' | 'scorecard'
export type SectionType = 'PARAGRAPH' | 'BULLET_POINTS' | 'YES_NO'
export type Extractor = 'reason' | 'next_steps' | 'topics' | 'sentiment'

export interface TopicPart {
  keywords: string[]
}
export interface PlaybookPart {
  language: string
  topics: { name: string; phrases: string[] }[]
}
export interface TemplatePart {
  language: string
  sections: { name: string; type: SectionType; extractor: Extractor | null }[]
}
/** Metrics that are measured instead of rated. */
export type Measure = 'talk_ratio' | 'longest_monologue' | 'interruptions' | 'hold_time' | 'sentiment'

export interface Question {
  text: string
  type: 'BINARY' | 'RATING'
  points: number
  strictness: 0 | 1 | 2
  ai_enabled: boolean
  phrases: string[]
  /** Ratings only. */
  measure?: Measure
}
export interface Category {
  name: string
  questions: Question[]
}
export interface ScorecardPart {
  description?: string
  categories: Category[]
}

export interface Parts {
  topic: TopicPart
  playbook: PlaybookPart
  summary_template: TemplatePart
  scorecard: ScorecardPart
}

/** Request body: the part has the name of its kind. */
export type NewGuide = { name: string; active: boolean } & {
  [K in GuideKind]: { kind: K } & { [P in K]: Parts[P] }
}[GuideKind]
export type Guide = NewGuide & { id: number; created_at: string; updated_at: string }
export type GuideOf<K extends GuideKind> = Extract<Guide, { kind: K }>
export type NewGuideOf<K extends GuideKind> = Extract<NewGuide, { kind: K }>

choice-other = Other

choice-other = 其他

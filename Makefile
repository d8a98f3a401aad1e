# Whereabouts. The first target of any kind sets up .venv; after that nothing is installed again until the lock changes.
#
#   make grade [SUBMISSIONS=dir] [ASSIGNMENT=rope] [OUT=results] [JOBS=n]   grade a class
#   make check [ASSIGNMENT=rope]                                            where a student stands
#   make lesson ASSIGNMENT=rope                                             the lesson in the browser, checked at every save
#   make learn ASSIGNMENT=rope                                              learning alone: hidden tests too, with reasons
#   make check FILE=path [ASSIGNMENT=rope]                                  one submission, hidden tests too
#   make solutions ASSIGNMENT=rope | ALL=1                                  solutions as pages, after the deadline
#   make site [ALONE=1] [PYODIDE=fetch] [SERVE=1]                           the course as a site in which Python runs
#   make quick | test | lint | autograder | handout | figures | experiment | bench | doctor | mutants

TARGETS := setup grade check watch learn lesson site quick test autograder handout solutions figures experiment bench \
	doctor mutants lint format

# A value on the command line may be a name that a student chose. It is kept as it is written, before anything here
# is expanded or run, and reaches make.sh in the environment: neither make nor the shell reads it as code.
$(foreach name,$(.VARIABLES),$(if $(filter command,$(origin $(name))),\
	$(eval export override $(name) := $$(value $(name)))))

.DEFAULT_GOAL := help
.PHONY: help $(TARGETS)

help:
	@sed -n '3,9s/^# *//p' Makefile

$(TARGETS):
	@./make.sh $@
